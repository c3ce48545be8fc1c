package io.jdm.mapper;

import io.jdm.blockdev.Errno;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The words of a target's parameters or of a message, read one after the other: whitespace
 * separates, a backslash quotes the next character (source: spec/dm-core.md section 2). Errors name
 * the argument and its position.
 *
 * <p>The text is held as bytes and only becomes a String where a target asks for one, so that a key
 * in a table never does. Not thread-safe.
 */
public final class Arguments implements AutoCloseable {
  private static final int MAX_SHOWN = 24;

  private final byte[][] words;
  private int next;

  private Arguments(byte[][] words) {
    this.words = words;
  }

  /** Splits UTF-8 text, which is copied and not changed. */
  public static Arguments split(byte[] text) {
    return new Arguments(splitWords(text));
  }

  /** Splits text that holds no key. */
  public static Arguments split(String text) {
    return split(text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[][] splitWords(byte[] text) {
    byte[][] words = new byte[8][];
    int count = 0;
    byte[] word = new byte[text.length];
    int i = 0;
    while (true) {
      while (i < text.length && isSpace(text[i])) {
        i++;
      }
      if (i == text.length) {
        break;
      }
      int length = 0;
      while (i < text.length && !isSpace(text[i])) {
        if (text[i] == '\\' && i + 1 < text.length) {
          i++;
        }
        word[length++] = text[i++];
      }
      if (count == words.length) {
        words = Arrays.copyOf(words, 2 * count);
      }
      words[count++] = Arrays.copyOf(word, length);
    }
    Arrays.fill(word, (byte) 0);
    return Arrays.copyOf(words, count);
  }

  static boolean isSpace(byte b) {
    return b == ' ' || (b >= '\t' && b <= '\r');
  }

  /**
   * One word as it must stand in a table: whitespace, backslashes and {@code #} quoted, the last
   * because it would begin a comment.
   */
  public static String quote(String word) {
    StringBuilder quoted = new StringBuilder(word.length());
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (c == '\\' || c == '#' || (c < 128 && isSpace((byte) c))) {
        quoted.append('\\');
      }
      quoted.append(c);
    }
    return quoted.toString();
  }

  /** How many words there are in all. */
  public int count() {
    return words.length;
  }

  /** How many words are left. */
  public int remaining() {
    return words.length - next;
  }

  /** Whether there is a next word that begins with this ASCII character. */
  public boolean nextStartsWith(char first) {
    return remaining() > 0 && words[next].length > 0 && words[next][0] == first;
  }

  /**
   * The next word.
   *
   * @param name of the argument, for the error
   * @param reason the kernel's words if there is none left
   */
  public String next(String name, String reason) throws TargetException {
    if (remaining() == 0) {
      throw error(reason, name + " (argument " + (next + 1) + ") is missing");
    }
    return new String(words[next++], StandardCharsets.UTF_8);
  }

  /**
   * The next word as bytes that the caller wipes: for keys.
   *
   * @param name of the argument, for the error
   * @param reason the kernel's words if there is none left
   */
  public byte[] nextSecret(String name, String reason) throws TargetException {
    if (remaining() == 0) {
      throw error(reason, name + " (argument " + (next + 1) + ") is missing");
    }
    return words[next++].clone();
  }

  /**
   * The next word as an unsigned decimal number that fits a non-negative long, with nothing before
   * or after it.
   */
  public long nextNumber(String name, String reason) throws TargetException {
    return nextNumber(name, reason, 0, Long.MAX_VALUE);
  }

  /** The next word as an unsigned decimal number between two bounds, both included. */
  public long nextNumber(String name, String reason, long min, long max) throws TargetException {
    int position = next + 1;
    String word = next(name, reason);
    long value = parseUnsigned(word);
    if (value < min || value > max) {
      throw error(
          reason,
          name
              + " (argument "
              + position
              + ") is "
              + show(word)
              + ", expected a decimal number from "
              + min
              + " to "
              + max);
    }
    return value;
  }

  /**
   * A word for an error: in quotes, but only its length if it is so long that it could be a key in
   * the wrong place.
   */
  public static String show(String word) {
    return word.length() <= MAX_SHOWN
        ? "'" + word + "'"
        : "a word of " + word.length() + " characters";
  }

  /**
   * The value of a decimal number without sign, or -1 if the text is none or it does not fit a
   * long.
   */
  public static long parseUnsigned(String text) {
    if (text.isEmpty() || text.length() > 19) {
      return -1;
    }
    long value = 0;
    for (int i = 0; i < text.length(); i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9 || value > (Long.MAX_VALUE - digit) / 10) {
        return -1;
      }
      value = 10 * value + digit;
    }
    return value;
  }

  /** An EINVAL of the kernel's words and ours. */
  public TargetException error(String reason, String detail) {
    return new TargetException(Errno.EINVAL, reason, detail);
  }

  /** Wipes the words. */
  @Override
  public void close() {
    for (byte[] word : words) {
      Arrays.fill(word, (byte) 0);
    }
  }
}
