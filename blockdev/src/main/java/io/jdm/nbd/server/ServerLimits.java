package io.jdm.nbd.server;

import java.time.Duration;

/**
 * What clients can make a server spend. The memory for one connection is about 0.5 MiB, and 1 MiB
 * for each of its threads that serves large requests.
 *
 * @param connections most clients at the same time; others are turned away
 * @param threads most threads that serve one connection, and so requests of it that are done at the
 *     same time
 * @param extraThreads most threads of all connections beyond the first of each
 * @param handshake how long a client may take until its first request, and to be told that the
 *     server closes
 */
public record ServerLimits(int connections, int threads, int extraThreads, Duration handshake) {
  /** 128 connections of up to 16 threads each, 64 more in all; 30 seconds to shake hands. */
  public static final ServerLimits DEFAULT = new ServerLimits(128, 16, 64, Duration.ofSeconds(30));

  public ServerLimits {
    if (connections < 1 || threads < 1 || extraThreads < 0 || handshake.toMillis() < 1) {
      throw new IllegalArgumentException("limits of a server are above 0");
    }
  }
}
