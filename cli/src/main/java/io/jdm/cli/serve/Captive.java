package io.jdm.cli.serve;

import io.jdm.cli.session.ExitCodes;
import io.jdm.nbd.NbdUri;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A shell command that a server runs for, told where to connect as nbdkit-captive(1) does. */
public final class Captive {
  private Captive() {}

  /**
   * Runs the command to its end.
   *
   * @param ended complete when the command shall be ended
   * @return its exit code; 128 and the signal's number if one ended it
   */
  public static int run(String command, NbdUri uri, CompletableFuture<?> ended) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).inheritIO();
    Map<String, String> environment = builder.environment();
    environment.put("uri", uri.toString());
    environment.put("nbd", uri.toString());
    environment.put("unixsocket", uri.socket());
    environment.put("port", uri.isUnix() ? "" : String.valueOf(uri.port()));
    environment.put("exportname", uri.export());
    if (uri.tls()) {
      environment.put("tls", "2");
    } else {
      environment.remove("tls");
    }
    Process process = builder.start();
    CompletableFuture<Void> ending = ended.thenRun(process::destroy);
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      return ExitCodes.FAILURE;
    } finally {
      ending.cancel(false);
    }
  }
}
