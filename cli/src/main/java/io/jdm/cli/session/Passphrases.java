package io.jdm.cli.session;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.crypt.key.KeyMaterial;
import java.io.Console;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Passphrases of people: from the terminal without echo, or a line of standard input. What is typed
 * is encoded in UTF-8.
 */
public final class Passphrases {
  /** Bytes of a line, as in cryptsetup. */
  private static final int MAX_LINE = 512;

  private Passphrases() {}

  /**
   * One passphrase, without a newline; the caller closes it.
   *
   * @param prompt shown on the terminal, if there is one
   * @throws UsageException if standard input is at its end
   */
  public static KeyMaterial read(Stdio stdio, String prompt) throws IOException, UsageException {
    Console console = console(stdio.in());
    return console != null ? ask(console, prompt) : line(stdio.in());
  }

  /** A new passphrase: typed twice where there is a terminal. */
  public static KeyMaterial readNew(Stdio stdio, String prompt) throws IOException, UsageException {
    KeyMaterial first = read(stdio, prompt);
    if (console(stdio.in()) == null) {
      return first;
    }
    boolean same = false;
    try (KeyMaterial second = read(stdio, "Verify passphrase: ")) {
      same = first.exposeBuffer().equals(second.exposeBuffer());
    } finally {
      if (!same) {
        first.close();
      }
    }
    if (!same) {
      throw new UsageException("Passphrases do not match.", "");
    }
    return first;
  }

  /**
   * Asks at the terminal whether something is meant.
   *
   * @param warning what will be lost
   * @throws UsageException if it is not, or if there is no terminal to ask at
   */
  public static void confirm(Stdio stdio, String warning) throws UsageException {
    Console console = console(stdio.in());
    if (console == null) {
      throw new UsageException(
          warning + " There is no terminal to confirm it at.", "Give -q if it is meant.");
    }
    String answer =
        console.readLine("%s%n", warning + "\n\nAre you sure? (Type 'yes' in capital letters): ");
    if (!"YES".equals(answer)) {
      throw new UsageException("Operation aborted.", "");
    }
  }

  /**
   * A passphrase of the terminal only.
   *
   * @throws DeviceException if there is none
   */
  static KeyMaterial ask(String prompt, String image) throws DeviceException {
    Console console = terminal();
    if (console == null) {
      throw new DeviceException(
          Errno.EINVAL,
          "no terminal to ask for the passphrase of "
              + image
              + ": give --key-file FILE, or name the device volume:"
              + image
              + "?key-file=FILE");
    }
    return ask(console, prompt);
  }

  private static Console console(InputStream in) {
    return in instanceof FileInputStream ? terminal() : null;
  }

  /** From Java 22 on there is a console even where there is no terminal; it tells then. */
  @SuppressWarnings("SystemConsoleNull")
  private static Console terminal() {
    Console console = System.console();
    try {
      return console == null || (boolean) Console.class.getMethod("isTerminal").invoke(console)
          ? console
          : null;
    } catch (ReflectiveOperationException e) {
      return console;
    }
  }

  private static KeyMaterial ask(Console console, String prompt) {
    char[] typed = console.readPassword("%s", prompt);
    char[] characters = typed == null ? new char[0] : typed;
    byte[] bytes = new byte[3 * characters.length];
    ByteBuffer encoded = ByteBuffer.wrap(bytes);
    // Half a surrogate pair must not end the passphrase there.
    StandardCharsets.UTF_8
        .newEncoder()
        .onMalformedInput(CodingErrorAction.REPLACE)
        .encode(CharBuffer.wrap(characters), encoded, true);
    byte[] passphrase = Arrays.copyOf(bytes, encoded.position());
    Arrays.fill(characters, '\0');
    Arrays.fill(bytes, (byte) 0);
    return KeyMaterial.moveFrom(passphrase);
  }

  /** Byte by byte, so that what follows the newline is left to whoever reads next. */
  private static KeyMaterial line(InputStream in) throws IOException, UsageException {
    byte[] line = new byte[MAX_LINE];
    try {
      int length = 0;
      int next = in.read();
      if (next < 0) {
        throw new UsageException(
            "Nothing to read on input.",
            "Type the passphrase at a terminal, or give --key-file FILE.");
      }
      while (next >= 0 && next != '\n' && length < MAX_LINE) {
        line[length++] = (byte) next;
        next = in.read();
      }
      return KeyMaterial.moveFrom(Arrays.copyOf(line, length));
    } finally {
      Arrays.fill(line, (byte) 0);
    }
  }
}
