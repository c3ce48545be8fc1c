package io.jdm.cli.session;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;

/**
 * The three standard streams of one command, so that tests and other programs can run commands
 * inside their own process.
 *
 * @param in standard input
 * @param out standard output, for data and answers
 * @param err standard error, for messages
 */
public record Stdio(InputStream in, OutputStream out, PrintStream err) {
  /** Writes an answer to standard output at once, in the locale's charset. */
  public void print(String text) throws IOException {
    out.write(text.getBytes(Charset.defaultCharset()));
    out.flush();
  }
}
