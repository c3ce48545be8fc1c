package io.jdm.nbd.client;

import io.jdm.blockdev.BlockDevice;
import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.DeviceScheme;
import io.jdm.blockdev.DeviceSpecs;
import io.jdm.nbd.NbdException;
import io.jdm.nbd.NbdUri;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Device specs that are NBD addresses: {@code nbd://}, {@code nbds://}, {@code nbd+unix://}, {@code
 * nbds+unix://}.
 */
public abstract sealed class NbdScheme implements DeviceScheme {
  private final String name;

  private NbdScheme(String name) {
    this.name = name;
  }

  /** TCP. */
  public static final class Tcp extends NbdScheme {
    /** For the service loader. */
    public Tcp() {
      super("nbd");
    }
  }

  /** TCP with TLS. */
  public static final class TcpTls extends NbdScheme {
    /** For the service loader. */
    public TcpTls() {
      super("nbds");
    }
  }

  /** A Unix socket. */
  public static final class Unix extends NbdScheme {
    /** For the service loader. */
    public Unix() {
      super("nbd+unix");
    }
  }

  /** A Unix socket with TLS. */
  public static final class UnixTls extends NbdScheme {
    /** For the service loader. */
    public UnixTls() {
      super("nbds+unix");
    }
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String usage() {
    return name + (name.endsWith("+unix") ? ":///EXPORT?socket=PATH" : "://HOST[:PORT]/EXPORT");
  }

  @Override
  public final String canonicalName(String spec) throws IOException {
    NbdUri uri = parse(name + ":" + spec);
    if (!uri.isUnix()) {
      return uri.toString();
    }
    Path socket = Path.of(uri.socket()).toAbsolutePath().normalize();
    return uri.withSocket(socket.toString()).toString();
  }

  @Override
  public final BlockDevice open(String canonicalName, boolean writable, DeviceSpecs specs)
      throws IOException {
    return NbdDevice.open(parse(canonicalName), writable);
  }

  private static NbdUri parse(String text) throws DeviceException {
    try {
      return NbdUri.parse(text);
    } catch (NbdException e) {
      throw new DeviceException(e.errno(), e.getMessage(), e);
    }
  }
}
