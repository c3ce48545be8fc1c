package io.jdm.cli;

import io.jdm.cli.session.Stdio;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A {@code jdm} command that was run inside this process. */
final class InProcess {
  private final int code;
  private final byte[] out;
  private final String err;

  private InProcess(int code, byte[] out, String err) {
    this.code = code;
    this.out = out;
    this.err = err;
  }

  static InProcess jdm(String... args) {
    return jdm(new byte[0], args);
  }

  static InProcess jdm(List<String> args) {
    return jdm(args.toArray(new String[0]));
  }

  static InProcess jdm(byte[] in, String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int code =
        Jdm.run(
            args,
            new Stdio(
                new ByteArrayInputStream(in),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8)));
    return new InProcess(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
  }

  /** The exit code. */
  int code() {
    return code;
  }

  /** Standard output, as bytes. */
  byte[] out() {
    return out;
  }

  /** Standard output, as text. */
  String text() {
    return new String(out, StandardCharsets.UTF_8);
  }

  /** Standard error. */
  String err() {
    return err;
  }
}
