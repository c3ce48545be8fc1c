package io.jdm.cli;

import io.jdm.cli.session.ExitCodes;
import io.jdm.cli.session.Signals;
import io.jdm.cli.session.Stdio;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;

/** Where the {@code jdm} process begins and ends. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    // The bare streams: dd finds a FileChannel behind each.
    Stdio stdio =
        new Stdio(
            new FileInputStream(FileDescriptor.in),
            new FileOutputStream(FileDescriptor.out),
            System.err);
    int code = Jdm.run(args, stdio);
    if (code > ExitCodes.SIGNAL) {
      Signals.die(code - ExitCodes.SIGNAL);
    }
    System.exit(code);
  }
}
