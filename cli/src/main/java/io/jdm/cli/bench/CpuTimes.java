package io.jdm.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time as {@code time(1)} prints it, in seconds; {@link Double#NaN} where the system does not
 * tell.
 *
 * @param user in the program itself
 * @param system in the kernel on its behalf
 */
record CpuTimes(double user, double system) {
  private static final CpuTimes UNKNOWN = new CpuTimes(Double.NaN, Double.NaN);
  private static final Path STAT = Path.of("/proc/self/stat");

  /** Positions behind the command's closing parenthesis in proc(5)'s stat. */
  private static final int UTIME = 11;

  private static final int CUTIME = 13;

  /** proc(5)'s unit of time, 1/100 s on every architecture the JDK runs on. */
  private static final double TICKS_PER_SECOND = 100;

  /** Of this process so far, all threads. */
  static CpuTimes ofThisProcess() {
    return read(UTIME);
  }

  /** Of the child processes that have ended so far. */
  static CpuTimes ofChildren() {
    return read(CUTIME);
  }

  private static CpuTimes read(int position) {
    try {
      String stat = Files.readString(STAT);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return new CpuTimes(
          Long.parseLong(fields[position]) / TICKS_PER_SECOND,
          Long.parseLong(fields[position + 1]) / TICKS_PER_SECOND);
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  /** What was used since an earlier moment. */
  CpuTimes since(CpuTimes earlier) {
    return new CpuTimes(user - earlier.user, system - earlier.system);
  }
}
