package io.jdm.cli.dd;

import io.jdm.cli.session.Quote;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The operands of one dd, checked, in the form that the copy needs. Sizes are bytes; counts are
 * blocks of the input's or output's size plus a rest of bytes.
 */
final class DdOperands {
  /** What {@code status=} leaves of the statistics. */
  enum Status {
    NONE,
    NOXFER,
    DEFAULT,
    PROGRESS
  }

  private static final Set<Conversion> TABLES =
      EnumSet.of(Conversion.ASCII, Conversion.EBCDIC, Conversion.IBM);
  private static final Set<Conversion> REBLOCKING =
      EnumSet.of(
          Conversion.ASCII,
          Conversion.EBCDIC,
          Conversion.IBM,
          Conversion.BLOCK,
          Conversion.UNBLOCK,
          Conversion.LCASE,
          Conversion.UCASE,
          Conversion.SWAB);

  private static final int DEFAULT_BLOCK_SIZE = 512;

  /** {@code if=}, or null for standard input. */
  String inputFile;

  /** {@code of=}, or null for standard output. */
  String outputFile;

  long inputBlockSize;
  long outputBlockSize;

  /** {@code cbs=}, or 0. */
  long conversionBlockSize;

  long skipBlocks;
  long skipBytes;
  long seekBlocks;
  long seekBytes;

  /** How many blocks to copy at most, then {@link #maxBytes} bytes of one more. */
  long maxBlocks;

  long maxBytes;
  Status status = Status.DEFAULT;
  final Set<Conversion> conversions = EnumSet.noneOf(Conversion.class);
  final Set<Flag> inputFlags = EnumSet.noneOf(Flag.class);
  final Set<Flag> outputFlags = EnumSet.noneOf(Flag.class);

  private final Consumer<String> warnings;

  private long blockSize;
  private DdNumber skip;
  private DdNumber seek;
  private DdNumber count;

  private DdOperands(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * Reads the operands, later ones over earlier ones as in GNU dd.
   *
   * @param warnings told about operands that are valid but probably not what was meant
   * @throws DdException with GNU dd's words
   */
  static DdOperands parse(List<String> words, Consumer<String> warnings) throws DdException {
    DdOperands operands = new DdOperands(warnings);
    for (String word : withoutOptions(words)) {
      operands.add(word);
    }
    operands.finish();
    return operands;
  }

  /** The operands: there are no options here, but a first {@code --} ends them all the same. */
  private static List<String> withoutOptions(List<String> words) throws DdException {
    List<String> operands = new ArrayList<>(words);
    int end = operands.indexOf("--");
    for (String word : end < 0 ? words : words.subList(0, end)) {
      if (word.startsWith("--")) {
        throw DdException.usage("unrecognized option " + Quote.word(word));
      }
      if (word.startsWith("-") && word.length() > 1) {
        throw DdException.usage("invalid option -- " + Quote.word(word.substring(1, 2)));
      }
    }
    operands.remove("--");
    return operands;
  }

  private void add(String word) throws DdException {
    int equals = word.indexOf('=');
    if (equals < 0) {
      throw DdException.usage("unrecognized operand " + Quote.word(word));
    }
    String value = word.substring(equals + 1);
    switch (word.substring(0, equals)) {
      case "if" -> inputFile = file(value);
      case "of" -> outputFile = file(value);
      case "bs" -> blockSize = size(value);
      case "ibs" -> inputBlockSize = size(value);
      case "obs" -> outputBlockSize = size(value);
      case "cbs" -> conversionBlockSize = size(value);
      case "skip", "iseek" -> skip = number(value, 0);
      case "seek", "oseek" -> seek = number(value, 0);
      case "count" -> count = number(value, 0);
      case "conv" -> parse(value, Conversion.class, conversions, "conversion");
      case "iflag" -> parse(value, Flag.class, inputFlags, "input flag");
      case "oflag" -> parse(value, Flag.class, outputFlags, "output flag");
      case "status" -> status = status(value);
      default -> throw DdException.usage("unrecognized operand " + Quote.word(word));
    }
  }

  /** {@code -} means the standard stream, unlike in GNU dd. */
  private static String file(String value) {
    return value.equals("-") ? null : value;
  }

  private long size(String value) throws DdException {
    return number(value, 1).value();
  }

  private DdNumber number(String value, long min) throws DdException {
    if (DdNumber.isZeroMultiplier(value)) {
      warnings.accept("warning: '0x' is a zero multiplier; use '00x' if that is intended");
    }
    return DdNumber.parse(value, min);
  }

  private static Status status(String value) throws DdException {
    return switch (value) {
      case "none" -> Status.NONE;
      case "noxfer" -> Status.NOXFER;
      case "progress" -> Status.PROGRESS;
      default -> throw DdException.usage("invalid status level: " + Quote.word(value));
    };
  }

  private static <E extends Enum<E>> void parse(
      String list, Class<E> words, Set<E> into, String kind) throws DdException {
    for (String word : list.split(",", -1)) {
      into.add(
          Stream.of(words.getEnumConstants())
              .filter(constant -> word(constant).equals(word))
              .findAny()
              .orElseThrow(() -> DdException.usage("invalid " + kind + ": " + Quote.word(word))));
    }
  }

  private void finish() throws DdException {
    finishSizes();
    checkFlags();
    if (conversionBlockSize == 0) {
      conversions.remove(Conversion.BLOCK);
      conversions.remove(Conversion.UNBLOCK);
    }
    refuseBoth(conversions, Conversion.BLOCK, Conversion.UNBLOCK);
    refuseBoth(conversions, Conversion.LCASE, Conversion.UCASE);
    refuseBoth(conversions, Conversion.EXCL, Conversion.NOCREAT);
    if (outputFlags.contains(Flag.APPEND) && !converts(Conversion.NOTRUNC)) {
      warnings.accept("you probably want conv=notrunc with oflag=append");
    }
    if (skip != null) {
      boolean bytes = skip.bytes() || inputFlags.contains(Flag.SKIP_BYTES);
      skipBlocks = bytes ? skip.value() / inputBlockSize : skip.value();
      skipBytes = bytes ? skip.value() % inputBlockSize : 0;
    }
    if (seek != null) {
      boolean bytes = seek.bytes() || outputFlags.contains(Flag.SEEK_BYTES);
      seekBlocks = bytes ? seek.value() / outputBlockSize : seek.value();
      seekBytes = bytes ? seek.value() % outputBlockSize : 0;
    }
    maxBlocks = Long.MAX_VALUE;
    if (count != null) {
      boolean bytes = count.bytes() || inputFlags.contains(Flag.COUNT_BYTES);
      maxBlocks = bytes ? count.value() / inputBlockSize : count.value();
      maxBytes = bytes ? count.value() % inputBlockSize : 0;
    }
  }

  private void finishSizes() {
    if (blockSize != 0) {
      inputBlockSize = blockSize;
      outputBlockSize = blockSize;
    } else {
      inputBlockSize = inputBlockSize == 0 ? DEFAULT_BLOCK_SIZE : inputBlockSize;
      outputBlockSize = outputBlockSize == 0 ? DEFAULT_BLOCK_SIZE : outputBlockSize;
    }
  }

  private void checkFlags() throws DdException {
    if (outputFlags.contains(Flag.FULLBLOCK)) {
      throw DdException.usage("invalid output flag: 'fullblock'");
    }
    if (conversions.stream().filter(TABLES::contains).count() > 1) {
      throw DdException.failure("cannot combine any two of {ascii,ebcdic,ibm}");
    }
    if (conversions.contains(Conversion.ASCII)) {
      conversions.add(Conversion.UNBLOCK);
    }
    if (conversions.contains(Conversion.EBCDIC) || conversions.contains(Conversion.IBM)) {
      conversions.add(Conversion.BLOCK);
    }
  }

  private static void refuseBoth(Set<Conversion> conversions, Conversion a, Conversion b)
      throws DdException {
    if (conversions.contains(a) && conversions.contains(b)) {
      throw DdException.failure("cannot combine " + word(a) + " and " + word(b));
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  boolean converts(Conversion conversion) {
    return conversions.contains(conversion);
  }

  /**
   * Whether blocks are gathered into output blocks of their own size: unless {@code bs=} was given
   * and nothing changes the data, in which case each block read is one block written.
   */
  boolean reblocks() {
    return blockSize == 0 || conversions.stream().anyMatch(REBLOCKING::contains);
  }

  /** What conv=sync fills a short block with. */
  byte padding() {
    return (byte) (converts(Conversion.BLOCK) || converts(Conversion.UNBLOCK) ? ' ' : 0);
  }

  /**
   * Whether a short read is worth a warning: blocks are counted or skipped, each of them is one
   * read, and nobody asked for full ones.
   */
  boolean warnsPartialRead() {
    boolean direct = inputFlags.contains(Flag.DIRECT) || outputFlags.contains(Flag.DIRECT);
    return !reblocks()
        && !inputFlags.contains(Flag.FULLBLOCK)
        && (skipBlocks > 0 || (maxBlocks > 0 && maxBlocks < Long.MAX_VALUE) || direct);
  }

  /** The input as messages name it. */
  String inputName() {
    return inputFile == null ? "standard input" : inputFile;
  }

  /** The output as messages name it. */
  String outputName() {
    return outputFile == null ? "standard output" : outputFile;
  }

  /** Whether a regular file keeps what it holds, rather than being cut where the output begins. */
  boolean keepsOutput() {
    return converts(Conversion.NOTRUNC);
  }

  /** Bytes of the input to skip; -1 if they do not fit a long. */
  long inputStart() {
    return bytes(skipBlocks, inputBlockSize, skipBytes);
  }

  /** Bytes of the output to seek over; -1 if they do not fit a long. */
  long outputStart() {
    return bytes(seekBlocks, outputBlockSize, seekBytes);
  }

  private static long bytes(long blocks, long blockSize, long rest) {
    return blocks > (Long.MAX_VALUE - rest) / blockSize ? -1 : blocks * blockSize + rest;
  }
}
