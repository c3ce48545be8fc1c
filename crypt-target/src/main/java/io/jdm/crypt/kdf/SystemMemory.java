package io.jdm.crypt.kdf;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How much memory a process could still have. */
final class SystemMemory {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final Pattern AVAILABLE = Pattern.compile("MemAvailable:\\s+(\\d{1,15}) kB");

  private SystemMemory() {}

  /** MiB, without swapping and within the limits of a container. */
  static long availableMib() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long total = system.getTotalMemorySize() >> 20;
    return Math.min(total, linux(system.getFreeMemorySize() >> 20));
  }

  /** Free memory of Linux leaves out what caches would give back. */
  private static long linux(long otherwise) {
    try {
      Matcher matcher = AVAILABLE.matcher(Files.readString(MEMINFO, StandardCharsets.US_ASCII));
      return matcher.find() ? Long.parseLong(matcher.group(1)) >> 10 : otherwise;
    } catch (IOException e) {
      return otherwise;
    }
  }
}
