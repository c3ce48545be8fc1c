package io.jdm.blockdev;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Opens devices by their spec: {@code PATH}, {@code file:PATH}, {@code mem:SIZE}, and whatever
 * schemes are there. A scheme has at least two characters, so {@code C:\x} is a path.
 *
 * <p>A device that is already open here is not opened again: all who ask share it, and it closes
 * with the last of them. It is opened read-only as long as nobody wants to write; then it is opened
 * again, writable, under the hands of those who read it. So a file is locked once, whoever uses it.
 *
 * <p>Thread-safe.
 */
public final class DeviceSpecs {
  private static final Pattern SCHEME =
      Pattern.compile("([A-Za-z][A-Za-z0-9+-]+):(.*)", Pattern.DOTALL);
  private static final String FILE = "file";

  private final Map<String, DeviceScheme> schemes = new LinkedHashMap<>();
  private final Map<String, SharedDevice> shared = new ConcurrentHashMap<>();

  /**
   * The schemes of the service loader and these, which replace those of the same name.
   *
   * @param schemes also asked first for specs without a scheme
   */
  public DeviceSpecs(List<DeviceScheme> schemes) {
    ServiceLoader.load(DeviceScheme.class).forEach(this::add);
    schemes.forEach(this::add);
  }

  private void add(DeviceScheme scheme) {
    schemes.put(scheme.name(), scheme);
  }

  /**
   * The one name of a device: equal for all its specs, and a spec itself. The device need not
   * exist.
   *
   * @throws DeviceException {@link Errno#EINVAL} for a scheme that nobody has, or what the scheme
   *     says
   */
  public String canonicalName(String spec) throws IOException {
    return resolve(spec).canonicalName();
  }

  /**
   * Opens a device; the caller closes what it gets, which others may have open as well.
   *
   * @param writable whether it shall be written; without that it has no {@link Capability}
   */
  public BlockDevice open(String spec, boolean writable) throws IOException {
    Resolved resolved = resolve(spec);
    DeviceScheme scheme = resolved.scheme();
    String name = resolved.canonicalName();
    if (!scheme.shared()) {
      return scheme.open(name, writable, this);
    }
    while (true) {
      SharedDevice device =
          shared.computeIfAbsent(
              name, n -> new SharedDevice(w -> scheme.open(n, w, this), d -> shared.remove(n, d)));
      BlockDevice handle = device.open(writable);
      if (handle != null) {
        return handle;
      }
    }
  }

  private record Resolved(DeviceScheme scheme, String canonicalName) {}

  private Resolved resolve(String spec) throws IOException {
    for (DeviceScheme scheme : schemes.values()) {
      if (scheme.claims(spec)) {
        return new Resolved(scheme, scheme.canonicalName(spec));
      }
    }
    Matcher matcher = SCHEME.matcher(spec);
    String name = matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : FILE;
    DeviceScheme scheme = schemes.get(name);
    if (scheme == null) {
      throw new DeviceException(
          Errno.EINVAL,
          "nothing is known of the scheme '"
              + name
              + "' of '"
              + spec
              + "': known are "
              + String.join(
                  ", ", schemes.values().stream().map(DeviceScheme::usage).sorted().toList())
              + "; a file of that name is file:"
              + spec);
    }
    return new Resolved(scheme, scheme.canonicalName(matcher.matches() ? matcher.group(2) : spec));
  }
}
