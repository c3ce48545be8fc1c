package io.jdm.cli.command;

import io.jdm.cli.session.Passphrases;
import io.jdm.cli.session.Stdio;
import io.jdm.cli.session.UsageException;
import io.jdm.volume.KeySource;
import java.io.IOException;
import java.nio.file.Path;

/** A passphrase that is to be set. */
final class NewKey {
  private NewKey() {}

  /**
   * All bytes of a file, or what is typed.
   *
   * @param file or null
   */
  static KeySource of(Stdio stdio, Path file, String prompt) throws IOException, UsageException {
    return file != null
        ? KeySource.keyFile(file, 0, KeySource.WHOLE)
        : KeySource.passphrase(Passphrases.readNew(stdio, prompt));
  }
}
