package io.jdm.cli.command;

import io.jdm.cli.dd.Dd;
import io.jdm.cli.session.Session;
import io.jdm.cli.session.VolumeOptions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code jdm dd}. */
@Command(
    name = "dd",
    description = "Copy a file or device, converting as the operands say, like GNU dd.",
    footerHeading = "%nOperands:%n",
    footer = {
      "  bs=BYTES        read and write up to BYTES at a time (512)",
      "  ibs=BYTES       read up to BYTES at a time (512)",
      "  obs=BYTES       write BYTES at a time (512)",
      "  cbs=BYTES       convert records of BYTES, for block and unblock",
      "  count=N         copy only N input blocks",
      "  if=FILE         read FILE instead of standard input, which is - as well",
      "  of=FILE         write FILE instead of standard output, which is - as well",
      "  skip=N          skip N input blocks first (also iseek=N)",
      "  seek=N          skip N output blocks first (also oseek=N)",
      "  conv=WORD,...   notrunc excl nocreat sparse sync noerror fdatasync fsync",
      "                  lcase ucase swab block unblock ascii ebcdic ibm",
      "  iflag=WORD,...  fullblock direct dsync sync nofollow count_bytes skip_bytes",
      "  oflag=WORD,...  append direct dsync sync nofollow seek_bytes",
      "  status=WORD     none noxfer progress",
      "",
      "FILE is a path, or any device: /dev/mapper/NAME or mapper:NAME of a --map, mem:SIZE ...",
      "The data of a LUKS image is volume:IMAGE; the options tell how to unlock it.",
      "N and BYTES may end in c=1, w=2, b=512, kB=1000, K=KiB=1024, MB, M=MiB, GB, G=GiB and so",
      "on to Y, and may be products NxM. A final B makes skip, seek and count bytes.",
      "A device has a cache over it that reads ahead and writes behind; the flag direct goes round",
      "it, the flag dsync writes through to stable storage. On a device, sparse makes zeros where",
      "GNU dd would leave what was there.",
      "SIGUSR1 prints the statistics so far."
    })
public final class DdCommand implements Callable<Integer> {
  private final Session session;

  @Mixin private VolumeOptions volumes;

  @Option(
      names = "--version",
      description = "Show the version of jdm and of the Java that runs it.")
  private boolean version;

  @Parameters(arity = "0..*", paramLabel = "OPERAND", description = "As below.")
  private List<String> operands = List.of();

  public DdCommand(Session session) {
    this.session = session;
  }

  /** What looks like an option goes to dd, which has words of its own for it. */
  @Spec
  void setSpec(CommandSpec spec) {
    spec.parser().unmatchedOptionsArePositionalParams(true);
  }

  @Override
  public Integer call() throws IOException {
    session.unlockWith(volumes);
    return version ? new VersionCommand(session).call() : Dd.run(operands, session);
  }
}
