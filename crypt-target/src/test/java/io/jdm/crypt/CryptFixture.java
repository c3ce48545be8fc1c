package io.jdm.crypt;

import static org.junit.jupiter.api.Assumptions.abort;

import io.jdm.blockdev.BlockDevice;
import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.Engines;
import io.jdm.crypt.key.Keyring;
import io.jdm.mapper.Arguments;
import io.jdm.mapper.BackingDevice;
import io.jdm.mapper.Target;
import io.jdm.mapper.TargetContext;
import io.jdm.mapper.TargetException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** A crypt target made from one line of a table, over a device of the test's. */
final class CryptFixture implements AutoCloseable {
  /** AES-256-XTS. */
  static final String KEY =
      "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
          + "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";

  private final Target target;

  private CryptFixture(Target target) {
    this.target = target;
  }

  /** With the default engine and an empty keyring. */
  static CryptFixture open(String line, BlockDevice below) throws TargetException {
    return open(line, below, null, new Keyring());
  }

  /**
   * @param line {@code 0 LENGTH crypt ...}; whatever it names as the device is {@code below}
   */
  static CryptFixture open(String line, BlockDevice below, String engine, Keyring keyring)
      throws TargetException {
    String[] words = line.split(" ", 4);
    Context context = new Context(Long.parseLong(words[0]), Long.parseLong(words[1]), below);
    try (Arguments arguments = Arguments.split(words.length > 3 ? words[3] : "")) {
      return new CryptFixture(
          new CryptTargetType(Engines.installed(), engine, keyring).create(context, arguments));
    }
  }

  /** Null if the engine does not have the cipher, or is not here. */
  static CryptFixture openIfPossible(String line, BlockDevice below, String engine)
      throws TargetException {
    try {
      return open(line, below, engine, new Keyring());
    } catch (TargetException e) {
      if (e.reason().equals("Error allocating crypto tfm")) {
        return null;
      }
      throw e;
    }
  }

  /** The test is skipped if the engine does not have the cipher, or is not here. */
  static CryptFixture openOrSkip(String line, BlockDevice below, String engine)
      throws TargetException {
    CryptFixture crypt = openIfPossible(line, below, engine);
    return crypt != null ? crypt : abort("engine " + engine + " cannot do this");
  }

  /** The names of the engines that can be used here. */
  static List<String> engines() {
    return Engines.installed().all().stream()
        .filter(engine -> engine.availability().available())
        .map(Engine::name)
        .toList();
  }

  Target target() {
    return target;
  }

  byte[] read(long offset, int length) throws IOException {
    byte[] data = new byte[length];
    target.read(offset, ByteBuffer.wrap(data));
    return data;
  }

  void write(long offset, byte[] data) throws IOException {
    target.write(offset, ByteBuffer.wrap(data), false);
  }

  /** What {@code dmsetup message} sends. */
  void message(String text) throws TargetException {
    try (Arguments words = Arguments.split(text)) {
      target.message(words);
    }
  }

  @Override
  public void close() {
    target.close();
  }

  private record Context(long start, long length, BlockDevice below) implements TargetContext {
    @Override
    public String deviceName() {
      return "test";
    }

    @Override
    public boolean readOnly() {
      return false;
    }

    @Override
    public BackingDevice device(String spec) {
      return new BackingDevice(spec, below);
    }

    @Override
    public BackingDevice device(String spec, long offset, long length) {
      return device(spec);
    }

    @Override
    public Runnable event() {
      return () -> {};
    }
  }
}
