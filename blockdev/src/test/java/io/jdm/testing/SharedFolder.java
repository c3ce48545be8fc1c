package io.jdm.testing;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder {@code shared/} that stands beside the checkout where the project is developed: oracle
 * images, vectors, other people's images. A test that needs it is skipped with the reason
 * elsewhere, and fails without it in CI.
 */
public final class SharedFolder {
  private SharedFolder() {}

  /**
   * A file below {@code shared/}, for instance {@code oracle/manifest.json}; skips the test if
   * there is none.
   */
  public static Path file(String relative) {
    Path shared = find();
    if (shared == null) {
      return Requirement.missing("the folder shared/ beside the checkout");
    }
    Path file = shared.resolve(relative);
    return Files.exists(file) ? file : Requirement.missing("shared/" + relative);
  }

  private static Path find() {
    for (Path dir = Path.of("").toAbsolutePath(); dir != null; dir = dir.getParent()) {
      Path shared = dir.resolve("shared");
      if (Files.exists(shared.resolve("DESIGN.md"))) {
        return shared;
      }
    }
    return null;
  }
}
