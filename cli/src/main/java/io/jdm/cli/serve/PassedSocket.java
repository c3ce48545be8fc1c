package io.jdm.cli.serve;

import io.jdm.cli.session.UsageException;
import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Optional;

/**
 * A socket that whoever started this process opened for it: systemd's socket activation
 * (sd_listen_fds(3)), which nbdinfo and nbdcopy use as well, inetd, or a shell's redirection.
 *
 * <p>A JVM can only take over descriptor 0. Activation passes 3, which the launcher {@code bin/jdm}
 * moves to 0; further descriptors are out of reach, and {@code /proc/self/fd} does not help, since
 * a socket cannot be opened through it.
 *
 * @param channel a {@link ServerSocketChannel} or a connected {@link SocketChannel}
 */
public record PassedSocket(Channel channel) {
  /**
   * Finds the socket that the user names, else the one that was passed by activation.
   *
   * @param descriptor what the user says, or null
   * @return empty if nothing was passed and the user names none
   * @throws UsageException if a socket is passed or named that cannot be taken over
   */
  public static Optional<PassedSocket> find(Integer descriptor) throws IOException, UsageException {
    return find(descriptor, System.getenv());
  }

  static Optional<PassedSocket> find(Integer descriptor, Map<String, String> environment)
      throws IOException, UsageException {
    if (descriptor != null) {
      if (descriptor != 0) {
        throw new UsageException(
            "a JVM can only take over descriptor 0",
            "Try 'jdm serve --fd 0 ... 0<&" + descriptor + "'.");
      }
      return Optional.of(standardInput("standard input is no socket"));
    }
    String pid = String.valueOf(ProcessHandle.current().pid());
    if (!pid.equals(environment.get("LISTEN_PID"))) {
      return Optional.empty();
    }
    String count = environment.getOrDefault("LISTEN_FDS", "");
    if (!count.equals("1")) {
      throw new UsageException("LISTEN_FDS is '" + count + "', only 1 socket can be passed", "");
    }
    return Optional.of(
        standardInput("the socket that was passed is not at descriptor 0, where bin/jdm moves it"));
  }

  private static PassedSocket standardInput(String otherwise) throws IOException, UsageException {
    Channel channel = System.inheritedChannel();
    if (channel instanceof ServerSocketChannel || channel instanceof SocketChannel) {
      return new PassedSocket(channel);
    }
    throw new UsageException(otherwise, "");
  }
}
