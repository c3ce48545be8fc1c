package io.jdm.blockdev.memory;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.blockdev.Errno;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Memory in device specs: {@code mem:SIZE[:LABEL]}, with SIZE in bytes or with one of the suffixes
 * K, M, G, T for powers of 1024. Without a label it is new memory, which gets a label of its own;
 * the same size and label mean the same memory as long as somebody has it open.
 */
public final class MemoryScheme implements DeviceScheme {
  private static final String PREFIX = "mem:";
  private static final String SUFFIXES = "BKMGT";
  private static final Pattern FORM =
      Pattern.compile("(?:mem:)?(\\d{1,18})([BKMGTbkmgt]?)(?::([A-Za-z0-9._+-]+))?");

  @Override
  public String name() {
    return "mem";
  }

  @Override
  public String usage() {
    return "mem:SIZE[:LABEL]";
  }

  @Override
  public String canonicalName(String spec) throws DeviceException {
    Matcher form = parse(spec);
    String label =
        form.group(3) != null
            ? form.group(3)
            : String.format("%08x", ThreadLocalRandom.current().nextInt());
    return PREFIX + form.group(1) + form.group(2).toUpperCase(Locale.ROOT) + ":" + label;
  }

  @Override
  public BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs)
      throws DeviceException {
    Matcher form = parse(canonicalName);
    long number = Long.parseLong(form.group(1));
    int shift = 10 * SUFFIXES.indexOf(form.group(2).toUpperCase(Locale.ROOT));
    if (number == 0 || number > Long.MAX_VALUE >> shift) {
      throw bad(canonicalName, "a size from 1 byte to 8 EiB - 1");
    }
    return MemoryDevice.ofSize(number << shift);
  }

  private static Matcher parse(String spec) throws DeviceException {
    Matcher form = FORM.matcher(spec);
    if (!form.matches()) {
      throw bad(spec, "SIZE[:LABEL], for instance 64M or 64M:a");
    }
    return form;
  }

  private static DeviceException bad(String spec, String expected) {
    return new DeviceException(
        Errno.EINVAL, "size of memory is '" + spec + "', expected " + expected);
  }
}
