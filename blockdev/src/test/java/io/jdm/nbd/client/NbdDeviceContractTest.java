package io.jdm.nbd.client;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.BlockDeviceContract;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.nbd.NbdUri;
import io.jdm.nbd.Served;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.ServerLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A remote export is a block device, however it is served. */
@ParameterizedClass(name = "{0}")
@EnumSource
class NbdDeviceContractTest extends BlockDeviceContract {
  @Parameter Setting setting;

  private final List<Served> servers = new ArrayList<>();

  enum Setting {
    BYTES(1, true, 4, 16),
    BLOCKS_OF_4096(4096, true, 4, 16),
    ONE_CONNECTION_AND_THREAD(1, true, 1, 1),
    READ_ONLY(1, false, 2, 16);

    final int block;
    final boolean writable;
    final int connections;
    final int threads;

    Setting(int block, boolean writable, int connections, int threads) {
      this.block = block;
      this.writable = writable;
      this.connections = connections;
      this.threads = threads;
    }
  }

  @Override
  protected BlockDevice open(byte[] content, UnaryOperator<BlockDevice> below) throws IOException {
    BlockDevice memory = MemoryDevice.ofSize(content.length, setting.block);
    memory.write(0, ByteBuffer.wrap(content));
    Export export = Export.of("", below.apply(memory));
    Served served =
        Served.of(
            builder ->
                builder
                    .export(setting.writable ? export : export.readOnly())
                    .limits(new ServerLimits(8, setting.threads, 16, Duration.ofSeconds(30))));
    servers.add(served);
    NbdUri uri =
        new NbdUri(
            false,
            "",
            0,
            served.uri().socket(),
            "",
            Map.of("connections", String.valueOf(setting.connections)));
    return NbdDevice.open(uri, setting.writable);
  }

  @AfterEach
  void closeServers() throws IOException {
    for (Served served : servers) {
      served.close();
    }
  }
}
