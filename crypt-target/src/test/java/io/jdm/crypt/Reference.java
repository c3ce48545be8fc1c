package io.jdm.crypt;

import static org.assertj.core.api.Assertions.assertThat;

import io.jdm.testing.Requirement;
import io.jdm.testing.SharedFolder;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * {@code ../shared/reference/dmcrypt_reference.py}, which is slow and reproduces the kernel's own
 * cases: one Python process that answers one request after the other.
 */
final class Reference {
  private static final String SERVER =
      """
      import sys, struct, importlib.util
      spec = importlib.util.spec_from_file_location('reference', sys.argv[1])
      reference = importlib.util.module_from_spec(spec)
      spec.loader.exec_module(reference)
      def text():
          size, = struct.unpack('>H', sys.stdin.buffer.read(2))
          return sys.stdin.buffer.read(size).decode()
      while True:
          start = sys.stdin.buffer.read(1)
          if not start: break
          cipher, iv_offset, first = text(), int(text()), int(text())
          sector_size, key_size, size = struct.unpack('>III', sys.stdin.buffer.read(12))
          key, data = sys.stdin.buffer.read(key_size), sys.stdin.buffer.read(size)
          sys.stdout.buffer.write(reference.crypt(cipher, key, iv_offset, sector_size,
              bool(start[0] & 2), data, bool(start[0] & 1), first))
          sys.stdout.buffer.flush()
      """;

  private final Process process;
  private final DataOutputStream requests;
  private final DataInputStream answers;

  private Reference(Process process) {
    this.process = process;
    this.requests = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    this.answers = new DataInputStream(process.getInputStream());
  }

  /** Skips the test where Python, its libraries, or the shared folder are missing. */
  static Reference startOrSkip() throws IOException, InterruptedException {
    Path script = SharedFolder.file("reference/dmcrypt_reference.py");
    String python = Requirement.tool("python3").toString();
    if (new ProcessBuilder(python, "-c", "import numpy, cryptography").start().waitFor() != 0) {
      Requirement.missing("python3 with numpy and cryptography");
    }
    return new Reference(
        new ProcessBuilder(python, "-c", SERVER, script.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
  }

  /**
   * Encrypts or decrypts.
   *
   * @param ivOffset without sign
   * @param first the data's first sector inside the target
   * @param data whole encryption sectors; not changed
   */
  byte[] crypt(
      boolean encrypt,
      String cipher,
      byte[] key,
      long ivOffset,
      int sectorSize,
      boolean largeSectors,
      long first,
      byte[] data)
      throws IOException {
    requests.writeByte((encrypt ? 1 : 0) | (largeSectors ? 2 : 0));
    text(cipher);
    text(Long.toUnsignedString(ivOffset));
    text(Long.toString(first));
    requests.writeInt(sectorSize);
    requests.writeInt(key.length);
    requests.writeInt(data.length);
    requests.write(key);
    requests.write(data);
    requests.flush();
    byte[] answer = new byte[data.length];
    answers.readFully(answer);
    return answer;
  }

  private void text(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    requests.writeShort(bytes.length);
    requests.write(bytes);
  }

  /** Ends the process. */
  void stop() throws IOException, InterruptedException {
    requests.close();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }
}
