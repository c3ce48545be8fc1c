package io.jdm.crypt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.key.KeyMaterial;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EnginesTest {
  private static final SectorAlgorithm AES_XTS = new SectorAlgorithm("aes", "xts", 64, 512);
  private static final SectorAlgorithm CAST6_CBC = new SectorAlgorithm("cast6", "cbc", 32, 512);

  private final Engines installed = Engines.installed();

  @Test
  void finds_the_five_engines_whether_usable_or_not() {
    assertThat(installed.all())
        .extracting(Engine::name)
        .containsExactlyInAnyOrder("gcrypt", "conscrypt", "corretto", "jdk", "bouncycastle");
    assertThat(installed.all())
        .allSatisfy(
            engine -> {
              Engine.Availability availability = engine.availability();
              assertThat(availability.available() ? availability.version() : availability.reason())
                  .isNotBlank();
            });
  }

  @Test
  void auto_chooses_one_that_has_the_algorithm_and_stays_with_it() throws Exception {
    Engine engine = installed.select("auto", AES_XTS);
    assertThat(engine.supports(AES_XTS)).isTrue();
    assertThat(installed.select(null, AES_XTS)).isSameAs(engine);
    assertThat(installed.select("auto", CAST6_CBC).name()).isEqualTo("bouncycastle");
  }

  @Test
  void takes_the_engine_that_was_named() throws Exception {
    assertThat(installed.select("jdk", AES_XTS).name()).isEqualTo("jdk");
  }

  @Test
  void says_which_engines_have_what_the_named_one_has_not() {
    assertThatThrownBy(() -> installed.select("jdk", CAST6_CBC))
        .isInstanceOf(EngineException.class)
        .hasMessage("engine jdk has no cbc(cast6) with a key of 32 bytes; bouncycastle has");
  }

  @Test
  void says_which_engines_there_are_when_the_name_is_unknown() {
    assertThatThrownBy(() -> installed.select("openssl", AES_XTS))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("no engine openssl, there are ")
        .hasMessageContaining("conscrypt");
  }

  @Test
  void gives_a_block_cipher_of_another_engine_where_the_named_one_has_none() throws Exception {
    assertThat(installed.selectBlock("jdk", "cast6", 16).name()).isEqualTo("bouncycastle");
    assertThat(installed.selectBlock("jdk", "aes", 16).name()).isEqualTo("jdk");
    assertThatThrownBy(() -> installed.selectBlock(null, "aes", 17))
        .isInstanceOf(EngineException.class)
        .hasMessage("no engine has aes with a key of 17 bytes");
  }

  @Test
  void drops_an_engine_that_gives_a_wrong_answer() throws Exception {
    Engine honest = installed.byName("jdk");
    Engines engines = new Engines(List.of(new LyingEngine(honest), honest));
    assertThat(engines.select("auto", AES_XTS)).isSameAs(honest);
    assertThatThrownBy(() -> engines.select("liar", AES_XTS))
        .isInstanceOf(EngineException.class)
        .hasMessage("engine liar has no xts(aes) with a key of 64 bytes; jdk has");
  }

  @Test
  void needs_no_engine_but_the_jdk_for_aes() throws Exception {
    Engines engines = new Engines(List.of(installed.byName("jdk")));
    assertThat(engines.select("auto", AES_XTS).name()).isEqualTo("jdk");
  }

  /** Encrypts with one bit wrong. */
  private record LyingEngine(Engine honest) implements Engine {
    @Override
    public String name() {
      return "liar";
    }

    @Override
    public Availability availability() {
      return Availability.of("1");
    }

    @Override
    public boolean supports(SectorAlgorithm algorithm) {
      return honest.supports(algorithm);
    }

    @Override
    public boolean supportsBlock(String cipher, int keySize) {
      return false;
    }

    @Override
    public BlockCipher blockCipher(String cipher, KeyMaterial key) throws EngineException {
      throw new EngineException("none");
    }

    @Override
    public SectorCipher sectorCipher(SectorAlgorithm algorithm, KeyMaterial key)
        throws EngineException {
      SectorCipher cipher = honest.sectorCipher(algorithm, key);
      return new SectorCipher() {
        @Override
        public void encrypt(
            byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
            throws java.io.IOException {
          cipher.encrypt(ivs, src, srcIndex, dst, dstIndex, length);
          dst.put(dstIndex, (byte) (dst.get(dstIndex) ^ 1));
        }

        @Override
        public void decrypt(
            byte[] ivs, ByteBuffer src, int srcIndex, ByteBuffer dst, int dstIndex, int length)
            throws java.io.IOException {
          cipher.decrypt(ivs, src, srcIndex, dst, dstIndex, length);
        }

        @Override
        public boolean prefersDirect() {
          return cipher.prefersDirect();
        }

        @Override
        public void close() {
          cipher.close();
        }
      };
    }
  }
}
