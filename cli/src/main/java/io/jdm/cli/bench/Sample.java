package io.jdm.cli.bench;

/**
 * What one window of measuring showed.
 *
 * @param bytes moved or transformed, by all threads together
 * @param operations requests that did it; 0 if not known
 * @param nanos of the wall clock
 * @param cpuBytesPerSecond the rates of the threads by their own CPU time, added up; what the
 *     threads would reach if nobody else took their processors. {@link Double#NaN} if not known
 * @param allocatedBytes of heap that these threads allocated meanwhile; 0 for a peer
 */
record Sample(
    long bytes, long operations, long nanos, double cpuBytesPerSecond, long allocatedBytes) {
  /** Bytes per second of the wall clock. */
  double bytesPerSecond() {
    return bytes * 1e9 / nanos;
  }

  /** Requests per second of the wall clock; NaN if they were not counted. */
  double operationsPerSecond() {
    return operations == 0 ? Double.NaN : operations * 1e9 / nanos;
  }
}
