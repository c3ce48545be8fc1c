package io.jdm.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/** The real launcher {@code bin/jdm} over the classes under test: jdm as a process of its own. */
final class Distribution {
  private static final Path LAUNCHER = Path.of("src/dist/bin/jdm");

  private Distribution() {}

  /** Makes a distribution in a folder; the path of its {@code jdm}. */
  static Path in(Path folder) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
    Path lib = Files.createDirectories(folder.resolve("lib"));
    try (OutputStream out = Files.newOutputStream(lib.resolve("jdm.jar"))) {
      new JarOutputStream(out, manifest).close();
    }
    Path launcher = Files.createDirectories(folder.resolve("bin")).resolve("jdm");
    Files.copy(LAUNCHER, launcher);
    return launcher;
  }

  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(":"))
        .map(entry -> Path.of(entry).toUri().toString())
        .collect(Collectors.joining(" "));
  }
}
