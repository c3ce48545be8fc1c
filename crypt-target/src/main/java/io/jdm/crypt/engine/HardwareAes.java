package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Whether AES runs on the CPU's own instructions. */
final class HardwareAes {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

  /** Bytes a nanosecond that no AES in software reaches, and every one in hardware does. */
  private static final double RATE = 0.5;

  private static final int CHUNK = 64 * 1024;
  private static final long NANOS = 50_000_000;

  private HardwareAes() {}

  static boolean inUse() {
    try {
      return hasFlag(Files.readAllLines(CPU_INFO));
    } catch (IOException e) {
      return measure();
    }
  }

  /** Whether a line of flags (x86) or features (ARM) has AES. */
  static boolean hasFlag(List<String> cpuInfo) {
    return cpuInfo.stream()
        .filter(line -> line.startsWith("flags") || line.startsWith("Features"))
        .anyMatch(line -> Arrays.asList(line.split("\\s+")).contains("aes"));
  }

  /** By the JDK's own cipher, which uses the instructions wherever there are any. */
  static boolean measure() {
    byte[] data = new byte[CHUNK];
    byte[] result = new byte[CHUNK];
    double best = 0;
    try (KeyMaterial key = KeyMaterial.random(16);
        BlockCipher aes = Engines.installed().byName("jdk").blockCipher("aes", key)) {
      long end = System.nanoTime() + NANOS;
      for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
        aes.decryptCbc(data, 0, result, 0, CHUNK);
        best = Math.max(best, CHUNK / (double) (System.nanoTime() - start));
      }
    } catch (EngineException e) {
      return false;
    }
    return best > RATE;
  }
}
