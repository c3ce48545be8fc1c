package io.jdm.mapper;

import io.jdm.blockdev.Errno;
import java.util.List;

/**
 * One request to the mapper, for its errors.
 *
 * @param word dmsetup's name for it: create, reload, resume ...
 * @param id the device as it was asked for
 */
record Ioctl(String word, DeviceId id) {
  /** A failure about which the kernel logs nothing. */
  MapperException failure(Errno errno, String detail) {
    return failure(errno, List.of(), detail, null);
  }

  /**
   * A failure with what the kernel logs.
   *
   * @param kernelLog lines without the prefix {@code device-mapper: }
   * @param cause may be null
   */
  MapperException failure(Errno errno, List<String> kernelLog, String detail, Throwable cause) {
    return MapperException.ioctl(word, id, errno, kernelLog, detail, cause);
  }
}
