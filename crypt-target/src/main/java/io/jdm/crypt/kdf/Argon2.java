package io.jdm.crypt.kdf;

import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Argon2i and Argon2id, version 0x13 (source: RFC 9106): the native library where it loads and
 * gives the known answer, else Bouncy Castle. Thread-safe; derivations for which there is not
 * enough memory at once wait for each other.
 */
public final class Argon2 {
  private static final Logger LOG = System.getLogger(Argon2.class.getName());
  private static final long TICK_MILLIS = 100;

  private Argon2() {}

  /** The variants that volume headers use. */
  public enum Type {
    ARGON2I,
    ARGON2ID
  }

  /**
   * What a derivation costs.
   *
   * @param passes from 1
   * @param memoryKib KiB, at least 8 times the lanes
   * @param lanes from 1 to 2^24-1, which are also the threads of the native library
   */
  public record Cost(int passes, int memoryKib, int lanes) {
    private static final int MAX_LANES = (1 << 24) - 1;

    public Cost {
      if (passes < 1 || lanes < 1 || lanes > MAX_LANES || memoryKib < 8L * lanes) {
        throw new IllegalArgumentException(
            passes + " passes over " + memoryKib + " KiB in " + lanes + " lanes");
      }
    }

    /** Whole MiB that it takes. */
    public long memoryMib() {
      return (memoryKib + 1023L) >> 10;
    }
  }

  /** What computes it here: {@code libargon2} or {@code bouncycastle}. */
  public static String implementation() {
    return Chosen.FUNCTION.name();
  }

  /** MiB that a derivation could have now. */
  public static long availableMib() {
    return Chosen.FUNCTION.availableMib();
  }

  /**
   * Derives a key. The work is done by a thread of its own; where the monitor ends it, this method
   * returns at once, and that thread wipes and drops its result when it has it.
   *
   * @param password any bytes, also none; stays the caller's
   * @param salt at least 8 bytes
   * @param size bytes of the key, from 4
   * @return a key that the caller closes
   * @throws KdfMemoryException before anything is allocated, if the memory is not there
   * @throws InterruptedIOException if the monitor ends it
   */
  public static KeyMaterial derive(
      Type type, KeyMaterial password, byte[] salt, Cost cost, int size, KdfMonitor monitor)
      throws IOException {
    return derive(Chosen.FUNCTION, Chosen.GATE, type, password, salt, cost, size, monitor);
  }

  static KeyMaterial derive(
      Argon2Function function,
      MemoryGate gate,
      Type type,
      KeyMaterial password,
      byte[] salt,
      Cost cost,
      int size,
      KdfMonitor monitor)
      throws IOException {
    gate.reserve(cost.memoryMib(), function.memoryKind(), monitor);
    byte[] secret = {};
    boolean started = false;
    try {
      secret = password.exposeBytes();
      CompletableFuture<KeyMaterial> result = start(function, gate, type, secret, salt, cost, size);
      started = true;
      return await(result, monitor);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OutOfMemoryError) {
        throw new KdfMemoryException(
            cost.memoryMib(), function.availableMib(), function.memoryKind());
      }
      throw new IOException("Argon2 failed: " + e.getCause().getMessage(), e.getCause());
    } finally {
      if (!started) {
        Arrays.fill(secret, (byte) 0);
        gate.release(cost.memoryMib());
      }
    }
  }

  /** The thread owns the secret and the share of memory once it has begun. */
  private static CompletableFuture<KeyMaterial> start(
      Argon2Function function,
      MemoryGate gate,
      Type type,
      byte[] secret,
      byte[] salt,
      Cost cost,
      int size) {
    CompletableFuture<KeyMaterial> result = new CompletableFuture<>();
    byte[] key = new byte[size];
    Thread thread =
        new Thread(
            () -> {
              try {
                function.derive(type, secret, salt, cost, key);
                result.complete(KeyMaterial.copyOf(key));
              } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
              } finally {
                Arrays.fill(secret, (byte) 0);
                Arrays.fill(key, (byte) 0);
                gate.release(cost.memoryMib());
              }
            },
            "argon2");
    thread.setDaemon(true);
    thread.start();
    return result;
  }

  private static KeyMaterial await(CompletableFuture<KeyMaterial> result, KdfMonitor monitor)
      throws ExecutionException, InterruptedIOException {
    try {
      while (true) {
        try {
          return result.get(TICK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
          monitor.progress(Double.NaN);
        }
      }
    } catch (InterruptedIOException | RuntimeException e) {
      wipeLater(result);
      throw e;
    } catch (InterruptedException e) {
      wipeLater(result);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the key derivation was cancelled");
    }
  }

  /** For a result that nobody waits for any more. */
  private static void wipeLater(CompletableFuture<KeyMaterial> result) {
    CompletableFuture<Void> unused = result.thenAccept(KeyMaterial::close);
  }

  private static final class Chosen {
    /** From the reference implementation's tests: argon2id, 2 passes, 256 KiB, 1 lane. */
    private static final byte[] ANSWER =
        HexFormat.of().parseHex("9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe");

    static final Argon2Function FUNCTION = choose();
    static final MemoryGate GATE = new MemoryGate(FUNCTION::availableMib);

    private static Argon2Function choose() {
      try {
        Argon2Function library = new NativeArgon2();
        if (Arrays.equals(answer(library), ANSWER)) {
          return library;
        }
        LOG.log(Level.WARNING, "left out: libargon2 gives a wrong answer");
      } catch (RuntimeException | LinkageError e) {
        LOG.log(Level.DEBUG, "libargon2 does not load", e);
      }
      return new BouncyCastleArgon2();
    }

    private static byte[] answer(Argon2Function function) {
      byte[] key = new byte[32];
      function.derive(
          Type.ARGON2ID,
          "password".getBytes(StandardCharsets.US_ASCII),
          "somesalt".getBytes(StandardCharsets.US_ASCII),
          new Cost(2, 256, 1),
          key);
      return key;
    }
  }
}
