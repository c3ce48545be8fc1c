package io.jdm.volume;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.crypt.key.KeyMaterial;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * What unlocks a volume: a passphrase, whose bytes keyslots derive a key from, or the volume key
 * itself. Owns the secret and wipes it on close.
 */
public final class KeySource implements AutoCloseable {
  /** Bytes that a key file may have, as in cryptsetup. */
  public static final int MAX_KEY_FILE = 8 << 20;

  /** For {@link #keyFile}: up to the end of the file. */
  public static final long WHOLE = -1;

  private final KeyMaterial secret;
  private final boolean volumeKey;

  private KeySource(KeyMaterial secret, boolean volumeKey) {
    this.secret = secret;
    this.volumeKey = volumeKey;
  }

  /** The bytes as they were typed, in the encoding that the volume was made with. */
  public static KeySource passphrase(KeyMaterial bytes) {
    return new KeySource(bytes, false);
  }

  /** The volume key itself, as a memory image or {@code luksDump --dump-volume-key} gives it. */
  public static KeySource volumeKey(KeyMaterial key) {
    return new KeySource(key, true);
  }

  /**
   * The passphrase in a file: all of its bytes, newlines too.
   *
   * @param offset bytes to skip, from 0
   * @param size bytes to take, from 0; {@link #WHOLE} for all that follow
   * @throws IOException with cryptsetup's words if the file is shorter, or longer than {@link
   *     #MAX_KEY_FILE}
   */
  public static KeySource keyFile(Path file, long offset, long size) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return passphrase(read(in, offset, size));
    }
  }

  /** The bytes of a stream, under the rules of {@link #keyFile}. */
  public static KeyMaterial read(InputStream in, long offset, long size) throws IOException {
    if (offset < 0 || size < WHOLE) {
      throw new DeviceException(
          Errno.EINVAL, "a key file has no bytes at " + offset + ", and no " + size + " of them");
    }
    if (size > MAX_KEY_FILE) {
      throw new DeviceException(Errno.EINVAL, "Maximum keyfile size exceeded.");
    }
    try {
      in.skipNBytes(offset);
    } catch (EOFException e) {
      throw new DeviceException(Errno.EINVAL, "Cannot seek to requested keyfile offset.", e);
    }
    byte[] buffer = new byte[(size == WHOLE ? MAX_KEY_FILE + 1 : (int) size)];
    byte[] key = {};
    try {
      int length = in.readNBytes(buffer, 0, buffer.length);
      if (size == WHOLE && length > MAX_KEY_FILE) {
        throw new DeviceException(Errno.EINVAL, "Maximum keyfile size exceeded.");
      }
      if (size != WHOLE && length < size) {
        throw new DeviceException(Errno.EINVAL, "Cannot read requested amount of data.");
      }
      key = Arrays.copyOf(buffer, length);
      return KeyMaterial.copyOf(key);
    } finally {
      Arrays.fill(buffer, (byte) 0);
      Arrays.fill(key, (byte) 0);
    }
  }

  /** The passphrase or key; stays this object's. */
  public KeyMaterial secret() {
    return secret;
  }

  /** Whether it is the volume key. */
  public boolean isVolumeKey() {
    return volumeKey;
  }

  @Override
  public void close() {
    secret.close();
  }

  @Override
  public String toString() {
    return (volumeKey ? "volume key " : "passphrase ") + secret;
  }
}
