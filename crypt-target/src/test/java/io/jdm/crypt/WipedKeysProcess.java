package io.jdm.crypt;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.Errno;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.DeviceDefinition;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.TableText;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The process whose heap {@link WipedKeysTest} looks at. Arguments: an engine, a folder with tables
 * {@code 0.table, 1.table, ...}, and where the heap goes: {@code keyed.hprof} with the keys in
 * force, {@code wiped.hprof} after {@code key wipe}, {@code closed.hprof} after the end.
 */
final class WipedKeysProcess {
  private static final int BYTES = 64 * 1024;

  private WipedKeysProcess() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[1]);
    CryptTargetType crypt = new CryptTargetType(Engines.installed(), args[0], new Keyring());
    List<DeviceId> devices = new ArrayList<>();
    try (DeviceMapper mapper = DeviceMapper.builder().targetType(crypt).build()) {
      for (int i = 0; Files.exists(folder.resolve(i + ".table")); i++) {
        byte[] bytes = Files.readAllBytes(folder.resolve(i + ".table"));
        try (TableText table = TableText.parse(bytes, "")) {
          mapper.create(DeviceDefinition.of("c" + i, table));
        } catch (MapperException e) {
          if (e.errno() != Errno.ENOENT) {
            throw e;
          }
          continue; // The engine does not have the cipher.
        } finally {
          Arrays.fill(bytes, (byte) 0);
        }
        devices.add(DeviceId.named("c" + i));
        use(mapper, DeviceId.named("c" + i));
      }
      dump(folder.resolve("keyed.hprof"));
      for (DeviceId device : devices) {
        mapper.suspend(device);
        try (Arguments words = Arguments.split("key wipe")) {
          mapper.message(device, 0, words);
        }
      }
      dump(folder.resolve("wiped.hprof"));
    }
    dump(folder.resolve("closed.hprof"));
  }

  private static void use(DeviceMapper mapper, DeviceId id) throws Exception {
    try (BlockDevice device = mapper.open(id, true)) {
      for (ByteBuffer buffer :
          List.of(ByteBuffer.allocate(BYTES), ByteBuffer.allocateDirect(4096))) {
        device.write(0, buffer);
        device.read(0, buffer.clear());
      }
    }
  }

  private static void dump(Path file) throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    server.invoke(
        new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
        "dumpHeap",
        new Object[] {file.toString(), true},
        new String[] {"java.lang.String", "boolean"});
  }
}
