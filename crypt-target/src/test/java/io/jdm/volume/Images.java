package io.jdm.volume;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.layer.ReadOnlyDevice;
import io.jdm.blockdev.memory.MemoryDevice;
import io.jdm.crypt.CryptTargetType;
import io.jdm.crypt.key.KeyMaterial;
import io.jdm.testing.SharedFolder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.tukaani.xz.XZInputStream;
import tools.jackson.jr.ob.JSON;

/** Volumes that others made, in the shared folder. */
final class Images {
  private static final int TAR_BLOCK = 512;

  private Images() {}

  /** A file of the shared folder, decompressed. */
  static byte[] read(String file) throws IOException {
    try (InputStream in = Files.newInputStream(SharedFolder.file(file));
        InputStream plain = file.endsWith(".xz") ? new XZInputStream(in) : in) {
      return plain.readAllBytes();
    }
  }

  /** The regular files of a compressed tar archive. */
  static Map<String, byte[]> untar(String file) throws IOException {
    Map<String, byte[]> members = new HashMap<>();
    InputStream in = new ByteArrayInputStream(read(file));
    for (byte[] header = in.readNBytes(TAR_BLOCK);
        header.length == TAR_BLOCK && header[0] != 0;
        header = in.readNBytes(TAR_BLOCK)) {
      String name = HeaderBytes.text(header, 0, 100);
      int size = Integer.parseInt(HeaderBytes.text(header, 124, 12).strip(), 8);
      members.put(name, in.readNBytes(size));
      in.readNBytes(-size & (TAR_BLOCK - 1));
    }
    return members;
  }

  /** A section of the oracle's manifest. */
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> manifest(String section) throws IOException {
    return (List<Map<String, Object>>)
        JSON.std
            .mapFrom(Files.readAllBytes(SharedFolder.file("oracle/manifest.json")))
            .get(section);
  }

  /** The oracle's passphrases. */
  static String oraclePassphrase(String name) throws IOException {
    return (String)
        ((Map<?, ?>)
                JSON.std
                    .mapFrom(Files.readAllBytes(SharedFolder.file("oracle/manifest.json")))
                    .get("passphrases"))
            .get(name);
  }

  static KeySource passphrase(String text) {
    return passphrase(text.getBytes(StandardCharsets.UTF_8));
  }

  static KeySource passphrase(byte[] bytes) {
    return KeySource.passphrase(KeyMaterial.copyOf(bytes));
  }

  /** A device that fails the test's request if anything writes to it. */
  static BlockDevice device(byte[] content) throws IOException {
    MemoryDevice device = MemoryDevice.ofSize(content.length);
    device.write(0, ByteBuffer.wrap(content));
    return ReadOnlyDevice.of(device);
  }

  /** The first bytes of an unlocked volume's data. */
  static byte[] plaintext(UnlockedVolume volume, byte[] image, int length) throws IOException {
    try (BlockDevice data =
        VolumeDevice.open(volume, device(image), false, new CryptTargetType())) {
      byte[] plain = new byte[length < 0 ? (int) data.size() : length];
      data.read(0, ByteBuffer.wrap(plain));
      return plain;
    }
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** A copy that is so long, cut or filled with zeros. */
  static byte[] resized(byte[] image, int size) {
    return Arrays.copyOf(image, size);
  }
}
