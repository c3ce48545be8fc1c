package io.jdm.volume;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import io.jdm.mapper.Arguments;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What stands behind {@code volume:} in a device spec: the image, and after the last question mark
 * how to unlock it: {@code disk.img?header=H&key-file=F}. In the values, {@code %} and two
 * hexadecimal digits stand for a byte. An image whose own name has a question mark is named with
 * another one at its end.
 *
 * @param image a device spec
 * @param options by name
 */
record VolumeSpec(String image, Map<String, String> options) {
  static final String HEADER = "header";
  static final String KEY_FILE = "key-file";
  static final String KEY_FILE_OFFSET = "keyfile-offset";
  static final String KEY_FILE_SIZE = "keyfile-size";
  static final String VOLUME_KEY_FILE = "volume-key-file";
  static final String KEYSLOT = "key-slot";
  static final String TYPE = "type";
  static final String NULL_CIPHER = "allow-null-cipher";

  private static final List<String> KNOWN =
      List.of(
          HEADER,
          KEY_FILE,
          KEY_FILE_OFFSET,
          KEY_FILE_SIZE,
          VOLUME_KEY_FILE,
          KEYSLOT,
          TYPE,
          NULL_CIPHER);

  static VolumeSpec parse(String text) throws DeviceException {
    int question = text.lastIndexOf('?');
    String image = question < 0 ? text : text.substring(0, question);
    if (image.isEmpty()) {
      throw bad(text, "the name of an image");
    }
    Map<String, String> options = new LinkedHashMap<>();
    if (question >= 0 && question < text.length() - 1) {
      for (String option : text.substring(question + 1).split("&", -1)) {
        int equals = option.indexOf('=');
        String name = equals < 0 ? option : option.substring(0, equals);
        String value = equals < 0 ? "" : decode(text, option.substring(equals + 1));
        if (!KNOWN.contains(name) || options.put(name, value) != null) {
          throw bad(text, "after '?' each of " + KNOWN + " once at most");
        }
      }
    }
    return new VolumeSpec(image, options);
  }

  private static String decode(String text, String value) throws DeviceException {
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad(text, "two hexadecimal digits after %");
    }
  }

  private static DeviceException bad(String text, String expected) {
    return new DeviceException(Errno.EINVAL, "volume is '" + text + "', expected " + expected);
  }

  /** An option, or null. */
  String option(String name) {
    return options.get(name);
  }

  /**
   * An option that is a number.
   *
   * @param otherwise without the option
   */
  long number(String name, long otherwise) throws DeviceException {
    String value = options.get(name);
    if (value == null) {
      return otherwise;
    }
    long number = Arguments.parseUnsigned(value);
    if (number < 0) {
      throw bad(name + "=" + value, "a number");
    }
    return number;
  }

  /** The text that {@link #parse} takes. */
  @Override
  public String toString() {
    String query =
        options.entrySet().stream()
            .map(
                option ->
                    option.getKey()
                        + "="
                        + URLEncoder.encode(option.getValue(), StandardCharsets.UTF_8)
                            .replace("+", "%20")
                            .replace("%2F", "/"))
            .collect(Collectors.joining("&"));
    return query.isEmpty() && image.indexOf('?') < 0 ? image : image + "?" + query;
  }
}
