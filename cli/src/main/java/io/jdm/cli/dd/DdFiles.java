package io.jdm.cli.dd;

import io.jdm.cli.session.Devices;
import io.jdm.cli.session.Quote;
import io.jdm.cli.session.Stdio;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** Opens what {@code if=} and {@code of=} name. */
final class DdFiles {
  private final DdOperands operands;
  private final Devices devices;
  private final Stdio stdio;
  private final DdReport report;

  DdFiles(DdOperands operands, Devices devices, Stdio stdio, DdReport report) {
    this.operands = operands;
    this.devices = devices;
    this.stdio = stdio;
    this.report = report;
  }

  Source openInput() throws DdException {
    String name = operands.inputFile;
    if (name == null) {
      return ChannelSource.ofStream(stdio.in());
    }
    try {
      return openInput(name);
    } catch (IOException e) {
      throw DdException.failure("failed to open " + Quote.file(name), e);
    }
  }

  private Source openInput(String name) throws IOException {
    Set<Flag> flags = operands.inputFlags;
    if (name.equals("/dev/zero")) {
      return new ZeroSource();
    }
    if (devices.knows(name)) {
      return new DeviceSource(devices.openBytes(name, false, flags.contains(Flag.DIRECT)));
    }
    Path path = path(name);
    if (name.equals("/dev/urandom") && !Files.exists(path)) {
      return new RandomSource();
    }
    Set<OpenOption> options = options(flags);
    options.add(StandardOpenOption.READ);
    return new ChannelSource(FileChannel.open(path, options), Files.isRegularFile(path));
  }

  Sink openOutput() throws DdException {
    String name = operands.outputFile;
    if (name == null) {
      return ChannelSink.ofStream(stdio.out());
    }
    long size = operands.keepsOutput() ? 0 : operands.outputStart();
    if (size < 0) {
      throw DdException.failure(
          String.format(
              "offset too large: cannot truncate to a length of seek=%d (%d-byte) blocks",
              operands.seekBlocks, operands.outputBlockSize));
    }
    try {
      return openOutput(name, size);
    } catch (IOException e) {
      throw DdException.failure("failed to open " + Quote.file(name), e);
    }
  }

  private Sink openOutput(String name, long size) throws IOException {
    Set<Flag> flags = operands.outputFlags;
    if (name.equals("/dev/null")) {
      return new NullSink();
    }
    if (devices.knows(name)) {
      return new DeviceSink(
          devices.openBytes(name, true, flags.contains(Flag.DIRECT)),
          flags.contains(Flag.DSYNC) || flags.contains(Flag.SYNC));
    }
    Path path = path(name);
    Set<OpenOption> options = options(flags);
    options.add(flags.contains(Flag.APPEND) ? StandardOpenOption.APPEND : StandardOpenOption.WRITE);
    if (operands.converts(Conversion.EXCL)) {
      options.add(StandardOpenOption.CREATE_NEW);
    } else if (!operands.converts(Conversion.NOCREAT)) {
      options.add(StandardOpenOption.CREATE);
    }
    ChannelSink sink = new ChannelSink(FileChannel.open(path, options), Files.isRegularFile(path));
    if (!operands.keepsOutput() && sink.fileSize() >= 0) {
      if (flags.contains(Flag.APPEND)) {
        // A channel that appends cannot lengthen: it writes at the end, wherever it is told to.
        try (Sink plain = new ChannelSink(FileChannel.open(path, StandardOpenOption.WRITE), true)) {
          truncate(plain, size, name);
        }
      } else {
        truncate(sink, size, name);
      }
    }
    return sink;
  }

  private void truncate(Sink sink, long size, String name) {
    try {
      sink.truncate(size);
    } catch (IOException e) {
      report.error(
          "failed to truncate to " + size + " bytes in output file " + Quote.file(name), e);
    }
  }

  private static Set<OpenOption> options(Set<Flag> flags) {
    Set<OpenOption> options = new HashSet<>();
    if (flags.contains(Flag.DSYNC)) {
      options.add(StandardOpenOption.DSYNC);
    }
    if (flags.contains(Flag.SYNC)) {
      options.add(StandardOpenOption.SYNC);
    }
    if (flags.contains(Flag.NOFOLLOW)) {
      options.add(LinkOption.NOFOLLOW_LINKS);
    }
    return options;
  }

  private static Path path(String name) throws NoSuchFileException {
    try {
      if (!name.isEmpty()) {
        return Path.of(name);
      }
    } catch (InvalidPathException e) {
      // There cannot be a file of such a name either.
    }
    throw new NoSuchFileException(name);
  }
}
