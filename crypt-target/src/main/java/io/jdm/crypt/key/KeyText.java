package io.jdm.crypt.key;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.TargetException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The key word of a crypt table or of {@code key set} (source: spec/dm-crypt.md section 3.1). Its
 * size is known before anything else of a table is looked at; the key itself is only made by {@link
 * #resolve}. Forms:
 *
 * <ul>
 *   <li>hex digits of either case; an odd last one is never looked at
 *   <li>{@code -}: no key
 *   <li>{@code :SIZE:TYPE:DESCRIPTION}: from a {@link Keyring}
 *   <li>ours: {@code @FILE} and {@code @fd:N}, the raw bytes up to the end, nothing stripped. {@code
 *       @fd:N} opens {@code /dev/fd/N}, so a regular file is read from its start
 * </ul>
 *
 * The bytes it holds are wiped by {@link #close()}. Not thread-safe.
 */
public final class KeyText implements AutoCloseable {
  /** Bytes that a key in a table may have: 1024 keys of AES-256-XTS. */
  public static final int MAX_SIZE = 64 * 1024;

  private static final String NOT_SET = "Error decoding and setting key";
  private static final String NO_SIZE = "Cannot parse key size";

  private final byte[] word;
  private final Form form;
  private final int size;

  private enum Form {
    HEX,
    NONE,
    KEYRING,
    RAW
  }

  private KeyText(Form form, byte[] word, int size) {
    this.form = form;
    this.word = word;
    this.size = size;
  }

  /**
   * The next word of a table or message, as {@link #parse} does it; no copy stays behind.
   *
   * @param missing the kernel's words if there is no word left
   */
  public static KeyText take(Arguments words, String missing) throws TargetException {
    byte[] word = words.nextSecret("key", missing);
    try {
      return parse(word);
    } finally {
      Arrays.fill(word, (byte) 0);
    }
  }

  /**
   * Finds the form and the size, and reads the file if it names one.
   *
   * @param word is copied; the caller wipes its own
   * @throws TargetException if no size can be found, or the file cannot be read
   */
  public static KeyText parse(byte[] word) throws TargetException {
    if (word.length > 0 && word[0] == ':') {
      return keyring(word);
    }
    if (word.length > 1 && word[0] == '@') {
      byte[] raw = readFile(new String(word, 1, word.length - 1, StandardCharsets.UTF_8));
      return new KeyText(Form.RAW, raw, raw.length);
    }
    if (word.length == 1 && word[0] == '-') {
      return new KeyText(Form.NONE, new byte[0], 0);
    }
    if (word.length / 2 > MAX_SIZE) {
      throw sizeError("the key has more than " + MAX_SIZE + " bytes");
    }
    return new KeyText(Form.HEX, word.clone(), word.length / 2);
  }

  private static KeyText keyring(byte[] word) throws TargetException {
    String text = new String(word, StandardCharsets.UTF_8);
    int colon = text.indexOf(':', 1);
    long size = colon < 0 ? -1 : Arguments.parseUnsigned(text.substring(1, colon));
    if (size < 0 || size > Integer.MAX_VALUE) {
      throw sizeError(Arguments.show(text) + " is not :SIZE:TYPE:DESCRIPTION");
    }
    byte[] reference = text.substring(colon + 1).getBytes(StandardCharsets.UTF_8);
    return new KeyText(Form.KEYRING, reference, (int) size);
  }

  private static byte[] readFile(String name) throws TargetException {
    File file = new File(name.startsWith("fd:") ? "/dev/fd/" + name.substring(3) : name);
    byte[] buffer = new byte[MAX_SIZE + 1];
    try (InputStream in = new FileInputStream(file)) {
      int length = in.readNBytes(buffer, 0, buffer.length);
      if (length == 0 || length > MAX_SIZE) {
        throw sizeError(
            "the key file "
                + name
                + " has "
                + (length == 0 ? "no" : "more than " + MAX_SIZE)
                + " bytes");
      }
      return Arrays.copyOf(buffer, length);
    } catch (TargetException e) {
      throw e;
    } catch (IOException e) {
      Errno errno = file.exists() ? Errno.EIO : Errno.ENOENT;
      throw new TargetException(errno, NO_SIZE, "the key file " + e.getMessage(), e);
    } finally {
      Arrays.fill(buffer, (byte) 0);
    }
  }

  /** Bytes of the key; 0 for none. */
  public int size() {
    return size;
  }

  /** {@code TYPE:DESCRIPTION} of a key from a keyring, or null. */
  public String reference() {
    return form == Form.KEYRING ? new String(word, StandardCharsets.UTF_8) : null;
  }

  /**
   * The key, {@link #size()} bytes, which the caller closes.
   *
   * @throws TargetException if a digit is not hex, no size was given, or the keyring has no such
   *     key of that size
   */
  public KeyMaterial resolve(Keyring keyring) throws TargetException {
    if (size == 0 && form != Form.NONE) {
      throw keyError("the key has no bytes; '-' stands for no key");
    }
    return switch (form) {
      case NONE -> KeyMaterial.copyOf(new byte[0]);
      case RAW -> KeyMaterial.copyOf(word);
      case HEX -> KeyMaterial.moveFrom(decodeHex());
      case KEYRING -> request(keyring);
    };
  }

  private byte[] decodeHex() throws TargetException {
    byte[] key = new byte[size];
    for (int i = 0; i < 2 * size; i++) {
      int digit = Character.digit((char) (word[i] & 0xff), 16);
      if (digit < 0) {
        Arrays.fill(key, (byte) 0);
        throw keyError("character " + (i + 1) + " of the key is not a hexadecimal digit");
      }
      key[i / 2] = (byte) (key[i / 2] << 4 | digit);
    }
    return key;
  }

  private KeyMaterial request(Keyring keyring) throws TargetException {
    String reference = reference();
    if (reference.chars().anyMatch(Character::isWhitespace)) {
      throw keyError("whitespace chars not allowed in key string");
    }
    int colon = reference.indexOf(':');
    String type = colon < 0 ? reference : reference.substring(0, colon);
    if (colon <= 0 || colon == reference.length() - 1 || !Keyring.TYPES.contains(type)) {
      throw keyError(
          "'"
              + reference
              + "' is not TYPE:DESCRIPTION with a type of "
              + String.join(", ", Keyring.TYPES));
    }
    KeyMaterial key = keyring.request(type, reference.substring(colon + 1));
    if (key == null) {
      throw new TargetException(Errno.ENOKEY, NOT_SET, "no key " + reference + " in the keyring");
    }
    if (key.size() != size) {
      int found = key.size();
      key.close();
      throw keyError("the key " + reference + " has " + found + " bytes, expected " + size);
    }
    return key;
  }

  /** An EINVAL with the kernel's words for a key that it does not take. */
  public static TargetException keyError(String detail) {
    return new TargetException(Errno.EINVAL, NOT_SET, detail);
  }

  private static TargetException sizeError(String detail) {
    return new TargetException(Errno.EINVAL, NO_SIZE, detail);
  }

  @Override
  public void close() {
    Arrays.fill(word, (byte) 0);
  }

  @Override
  public String toString() {
    return "KeyText[" + form + ", " + size + " bytes]";
  }
}
