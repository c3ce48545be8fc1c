package io.jdm.cli.session;

import io.jdm.blockdev.DeviceException;
import io.jdm.crypt.engine.EngineException;
import io.jdm.crypt.kdf.KdfMemoryException;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.TargetException;
import io.jdm.volume.VolumeException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;

/**
 * What a failed command says and the exit code it leaves with: the one map from exceptions to both.
 * The codes are those of the tools whose verbs these are: dmsetup and dd know 0 and 1, cryptsetup 0
 * to 5.
 */
public final class ExitCodes {
  public static final int SUCCESS = 0;
  public static final int FAILURE = 1;

  /** cryptsetup's: no permission, which is a wrong passphrase. */
  public static final int NO_PERMISSION = 2;

  /** cryptsetup's: out of memory. */
  public static final int NO_MEMORY = 3;

  /** cryptsetup's: the device is in use. */
  public static final int BUSY = 5;

  /** Added to a signal's number when it ended the command, as shells do. */
  public static final int SIGNAL = 128;

  /** The number of the signal that a closed terminal sends. */
  public static final int SIGHUP = 1;

  /** The number of the signal that Ctrl-C sends. */
  public static final int SIGINT = 2;

  /** The number of the signal that ends a program whose output nobody reads. */
  public static final int SIGPIPE = 13;

  /** The number of the signal that {@code kill} sends. */
  public static final int SIGTERM = 15;

  /** Shows stack traces, for people who work on jdm. */
  private static final boolean DEBUG = "1".equals(System.getenv("JDM_DEBUG"));

  private ExitCodes() {}

  /**
   * Says on {@code err} why a command failed, and returns its exit code. What the mapper refuses is
   * said as dmsetup says it, then once more with what the kernel would have logged.
   */
  public static int report(Throwable failure, PrintStream err) {
    if (failure instanceof IOException io && ErrorText.isBrokenPipe(io)) {
      return SIGNAL + SIGPIPE; // Nobody reads any more, so there is nobody to be told.
    }
    if (failure instanceof ToolException) {
      err.println(failure.getMessage());
      err.println("Command failed.");
      return FAILURE;
    }
    if (failure instanceof MapperException mapper) {
      err.println(mapper.toolMessage());
      err.println("Command failed.");
    }
    String text = text(failure);
    if (!text.isEmpty()) {
      err.println("jdm: " + text);
    }
    if (failure instanceof UsageException usage && !usage.advice().isEmpty()) {
      err.println(usage.advice());
    }
    if (DEBUG) {
      failure.printStackTrace(err);
    }
    return code(failure);
  }

  private static int code(Throwable failure) {
    if (failure instanceof KdfMemoryException) {
      return NO_MEMORY;
    }
    if (failure instanceof VolumeException volume) {
      return switch (volume.reason()) {
        case WRONG_KEY -> NO_PERMISSION;
        case BUSY -> BUSY;
        default -> FAILURE;
      };
    }
    return FAILURE;
  }

  private static String text(Throwable failure) {
    if (failure instanceof MapperException mapper) {
      return mapper.explanation();
    }
    if (failure instanceof UsageException
        || failure instanceof DeviceException
        || failure instanceof TargetException
        || failure instanceof VolumeException
        || failure instanceof EngineException) {
      return failure.getMessage();
    }
    if (failure instanceof FileSystemException file) {
      return Quote.file(file.getFile()) + ": " + ErrorText.of(file);
    }
    if (failure instanceof IOException io) {
      return ErrorText.of(io);
    }
    if (failure instanceof OutOfMemoryError) {
      return "memory exhausted: " + failure.getMessage();
    }
    return "internal error, please report it (JDM_DEBUG=1 shows more): " + failure;
  }
}
