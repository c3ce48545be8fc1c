package io.jdm.cli.command;

import picocli.CommandLine.Option;

/**
 * Options of dmsetup that scripts give and that have no meaning without udev, device nodes and a
 * kernel: they are taken, and change nothing.
 */
@SuppressWarnings("UnusedVariable")
final class IgnoredOptions {
  @Option(
      names = {
        "--checks",
        "--noflush",
        "--noopencount",
        "--noudevrules",
        "--noudevsync",
        "--verifyudev",
        "-y",
        "--yes",
      },
      hidden = true)
  private boolean[] flags;

  @Option(
      names = {"--manglename", "--readahead", "--udevcookie"},
      hidden = true)
  private String[] values;
}
