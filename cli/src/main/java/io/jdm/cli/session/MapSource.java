package io.jdm.cli.session;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import picocli.CommandLine.Option;

/**
 * One {@code --map} or {@code --map-file} of the command line: devices in dmsetup's concise syntax
 * that exist for this command only.
 */
public final class MapSource {
  @Option(
      names = "--map",
      paramLabel = "CONCISE",
      required = true,
      description =
          "Devices for this command only, as dmsetup's concise text: "
              + "NAME,UUID,MINOR,FLAGS,TABLE[,TABLE...][;...]. May be repeated.")
  private String concise;

  @Option(
      names = "--map-file",
      paramLabel = "FILE",
      required = true,
      description = "The same, read from a file. May be repeated.")
  private Path file;

  private byte[] readAll() throws FileSystemException {
    try {
      return Files.readAllBytes(file);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new FileSystemException(file.toString(), null, e.getMessage()); // It names no file.
    }
  }

  /** The concise text in UTF-8, as a new array that the caller wipes: it may hold keys. */
  byte[] read() throws IOException {
    if (file == null) {
      return concise.getBytes(StandardCharsets.UTF_8);
    }
    byte[] text = readAll();
    int length = text.length;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) {
      length--;
    }
    byte[] trimmed = Arrays.copyOf(text, length);
    Arrays.fill(text, (byte) 0);
    return trimmed;
  }
}
