package io.jdm.testing;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What a test needs from the machine. Missing: the test is skipped with the reason; in CI (CI=true)
 * it fails.
 */
public final class Requirement {
  private Requirement() {}

  /** The path of a program on PATH or in the sbin folders, or the test is skipped. */
  public static Path tool(String name) {
    String path =
        System.getenv("PATH") + File.pathSeparator + "/usr/sbin" + File.pathSeparator + "/sbin";
    for (String dir : path.split(File.pathSeparator)) {
      Path candidate = Path.of(dir, name);
      if (Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    return missing("the program " + name);
  }

  /** Skips the test, or fails it in CI; never returns normally. */
  public static Path missing(String what) {
    String message = what + " is not here";
    if ("true".equals(System.getenv("CI"))) {
      return fail(message + ", but CI must have it");
    }
    return abort("skipped: " + message);
  }
}
