package io.jdm.crypt.engine;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Runs an engine against the {@link KnownAnswer}s for a cipher and a mode: those with the key size
 * in question, or all that the engine takes if there is none of that size.
 */
final class SelfTest {
  private static final int BLOCKS = 5;
  private static final int SECTORS = 2;

  private final Engine engine;

  SelfTest(Engine engine) {
    this.engine = engine;
  }

  /**
   * Tests the block cipher alone.
   *
   * @throws EngineException saying which answer was wrong
   */
  void block(String cipher, int keySize) throws EngineException {
    Predicate<KnownAnswer> fits = a -> a.cipher().equals(cipher) && a.mode().equals("ecb");
    for (KnownAnswer answer :
        answers(
            fits.and(a -> engine.supportsBlock(cipher, a.keySize())),
            a -> a.keySize() == keySize)) {
      try (KeyMaterial key = KeyMaterial.copyOf(answer.key());
          BlockCipher blocks = engine.blockCipher(cipher, key)) {
        checkBlocks(answer, blocks);
      } catch (RuntimeException | LinkageError e) {
        throw failure(answer, e);
      }
    }
  }

  /**
   * Tests the block cipher and the chain mode over it.
   *
   * @throws EngineException saying which answer was wrong
   */
  void sector(SectorAlgorithm algorithm) throws EngineException {
    String cipher = algorithm.cipher();
    if (cipher.equals("cipher_null")) {
      return;
    }
    String block = Ciphers.blockCipherOf(cipher);
    int blockKeySize = ComposedEngine.blockKeySize(algorithm.mode(), algorithm.keySize());
    if (engine.supportsBlock(block, blockKeySize)) {
      block(block, blockKeySize);
    }
    Predicate<KnownAnswer> fits =
        a -> a.cipher().equals(cipher) && a.mode().equals(algorithm.mode());
    for (KnownAnswer answer :
        answers(
            fits.and(a -> engine.supports(a.algorithm(algorithm.sectorSize()))),
            a -> a.keySize() == algorithm.keySize())) {
      SectorAlgorithm tested = answer.algorithm(algorithm.sectorSize());
      try (KeyMaterial key = KeyMaterial.copyOf(answer.key());
          SectorCipher sectors = engine.sectorCipher(tested, key)) {
        checkSectors(answer, sectors, tested.sectorSize());
      } catch (EngineException e) {
        throw e;
      } catch (IOException | RuntimeException | LinkageError e) {
        throw failure(answer, e);
      }
    }
  }

  private static List<KnownAnswer> answers(
      Predicate<KnownAnswer> fits, Predicate<KnownAnswer> sameKeySize) {
    List<KnownAnswer> all = KnownAnswer.all().stream().filter(fits).toList();
    List<KnownAnswer> best = all.stream().filter(sameKeySize).toList();
    return best.isEmpty() ? all : best;
  }

  private void checkBlocks(KnownAnswer answer, BlockCipher blocks) throws EngineException {
    byte[] plain = repeat(answer.plaintext());
    byte[] encrypted = repeat(answer.ciphertext());
    byte[] result = new byte[plain.length];
    blocks.encrypt(plain, 0, result, 0, plain.length);
    check(answer, "encrypts", Arrays.equals(result, encrypted));
    blocks.decrypt(encrypted, 0, result, 0, plain.length);
    check(answer, "decrypts", Arrays.equals(result, plain));
  }

  private static byte[] repeat(byte[] text) {
    byte[] repeated = new byte[BLOCKS * text.length];
    for (int i = 0; i < repeated.length; i += text.length) {
      System.arraycopy(text, 0, repeated, i, text.length);
    }
    return repeated;
  }

  private void checkSectors(KnownAnswer answer, SectorCipher sectors, int sectorSize)
      throws IOException {
    byte[] plain = answer.plaintext();
    byte[] encrypted = answer.ciphertext();
    byte[] iv = answer.iv();
    byte[] ivs = new byte[SECTORS * iv.length];
    ByteBuffer data = allocate(sectors, SECTORS * sectorSize);
    ByteBuffer result = allocate(sectors, SECTORS * sectorSize);
    for (int i = 0; i < SECTORS; i++) {
      System.arraycopy(iv, 0, ivs, i * iv.length, iv.length);
      data.put(i * sectorSize, plain);
    }
    sectors.encrypt(ivs, data, 0, result, 0, SECTORS * sectorSize);
    for (int i = 0; i < SECTORS; i++) {
      ByteBuffer found = result.slice(i * sectorSize, encrypted.length);
      check(answer, "encrypts", found.equals(ByteBuffer.wrap(encrypted)));
    }
    sectors.decrypt(ivs, result, 0, result, 0, SECTORS * sectorSize);
    check(answer, "decrypts", result.equals(data));
  }

  private static ByteBuffer allocate(SectorCipher sectors, int size) {
    return sectors.prefersDirect() ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
  }

  private void check(KnownAnswer answer, String does, boolean right) throws EngineException {
    if (!right) {
      throw new EngineException(
          "engine " + engine.name() + " " + does + " " + name(answer) + " wrongly");
    }
  }

  private EngineException failure(KnownAnswer answer, Throwable cause) {
    return new EngineException(
        "engine " + engine.name() + " fails on " + name(answer) + ": " + cause, cause);
  }

  private static String name(KnownAnswer answer) {
    return answer.mode()
        + "("
        + answer.cipher()
        + ") with a key of "
        + answer.keySize()
        + " bytes ("
        + answer.source()
        + ")";
  }
}
