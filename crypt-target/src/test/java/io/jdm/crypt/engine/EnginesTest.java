package io.jdm.crypt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.jdm.crypt.cipher.BlockCipher;
import io.jdm.crypt.cipher.Ciphers;
import io.jdm.crypt.cipher.SectorAlgorithm;
import io.jdm.crypt.cipher.SectorCipher;
import io.jdm.crypt.engine.jdk.JdkEngine;
import io.jdm.crypt.key.KeyMaterial;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        .hasMessage("engine jdk has no cast6-cbc with a key of 32 bytes; bouncycastle does");
  }

  @Test
  void says_which_engines_there_are_when_the_name_is_unknown() {
    assertThatThrownBy(() -> installed.select("openssl", AES_XTS))
        .isInstanceOf(EngineException.class)
        .hasMessage(
            "no engine 'openssl', there are bouncycastle, conscrypt, corretto, gcrypt, jdk");
  }

  @Test
  void gives_a_block_cipher_of_another_engine_where_the_named_one_has_none() throws Exception {
    assertThat(installed.selectBlock("jdk", "cast6", 16).name()).isEqualTo("bouncycastle");
    assertThat(installed.selectBlock("jdk", "aes", 16).name()).isEqualTo("jdk");
    assertThatThrownBy(() -> installed.selectBlock(null, "aes", 17))
        .isInstanceOf(EngineException.class)
        .hasMessageStartingWith("no engine has aes with a key of 17 bytes; there are ");
  }

  @Test
  void drops_an_engine_that_gives_a_wrong_answer() throws Exception {
    Engine honest = installed.byName("jdk");
    Engine liar = new StubEngine("liar", Engine.Kind.NATIVE, honest, true);
    Engines engines = new Engines(List.of(liar, honest));
    assertThat(engines.select("auto", AES_XTS)).isSameAs(honest);
    assertThat(engines.selectBlock("liar", "aes", 32)).isSameAs(honest);
    assertThatThrownBy(() -> engines.select("liar", AES_XTS))
        .isInstanceOf(EngineException.class)
        .hasMessageStartingWith("engine liar encrypts ")
        .hasMessageEndingWith(" wrongly");
  }

  @Test
  void drops_what_the_service_loader_cannot_make_and_what_does_not_link(@TempDir Path folder)
      throws Exception {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.write(
        services.resolve(Engine.class.getName()),
        List.of("no.such.Engine", Unmade.class.getName(), Unlinked.class.getName()));
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Engines engines = Engines.found(ServiceLoader.load(Engine.class, loader));
      assertThat(engines.all())
          .extracting(Engine::name)
          .contains("unlinked", "jdk")
          .doesNotContain("unmade");
      assertThat(engines.select("auto", AES_XTS).name()).isNotEqualTo("unlinked");
      assertThat(engines.selectBlock("unlinked", "aes", 32).name()).isNotEqualTo("unlinked");
      assertThatThrownBy(() -> engines.select("unlinked", AES_XTS))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("engine unlinked fails on ")
          .hasMessageContaining("UnsatisfiedLinkError");
    }
  }

  @Test
  void does_not_load_an_engine_where_one_of_a_better_kind_will_do() throws Exception {
    Engine honest = installed.byName("jdk");
    StubEngine fast = new StubEngine("fast", Engine.Kind.NATIVE, honest, false);
    StubEngine slow = new StubEngine("slow", Engine.Kind.JAVA, honest, false);
    Engines engines = new Engines(List.of(slow, honest, fast));
    assertThat(engines.select("auto", AES_XTS)).isSameAs(fast);
    assertThat(slow.asked).isZero();
  }

  @Test
  void measures_engines_of_one_kind_once() throws Exception {
    Engine honest = installed.byName("jdk");
    StubEngine one = new StubEngine("one", Engine.Kind.PROVIDER, honest, false);
    StubEngine two = new StubEngine("two", Engine.Kind.PROVIDER, honest, false);
    Engines engines = new Engines(List.of(one, two));
    Engine chosen = engines.select("auto", AES_XTS);
    int asked = one.asked + two.asked;
    assertThat(engines.select("auto", AES_XTS)).isSameAs(chosen);
    assertThat(one.asked + two.asked).isEqualTo(asked);
  }

  @Test
  void follows_the_system_property_where_no_name_is_given() throws Exception {
    System.setProperty("jdm.engine", "bouncycastle");
    try {
      assertThat(installed.select(null, AES_XTS).name()).isEqualTo("bouncycastle");
      assertThat(installed.selectBlock(null, "aes", 32).name()).isEqualTo("bouncycastle");
    } finally {
      System.clearProperty("jdm.engine");
    }
  }

  @Test
  void needs_no_engine_but_the_jdk_for_aes() throws Exception {
    Engines engines = new Engines(List.of(installed.byName("jdk")));
    assertThat(engines.select("auto", AES_XTS).name()).isEqualTo("jdk");
  }

  @Test
  void says_what_no_engine_has() {
    SectorAlgorithm none = new SectorAlgorithm("aes", "xts", 40, 512);
    assertThatThrownBy(() -> installed.select("auto", none))
        .isInstanceOf(EngineException.class)
        .hasMessageStartingWith("no engine has aes-xts with a key of 40 bytes; there are ");
    assertThatThrownBy(() -> installed.select("jdk", none))
        .hasMessage("engine jdk has no aes-xts with a key of 40 bytes; no other does");
  }

  @Test
  void tells_hardware_aes_by_cpuinfo_or_by_measuring() {
    assertThat(HardwareAes.hasFlag(List.of("processor : 0", "flags\t\t: fpu aes sse2"))).isTrue();
    assertThat(HardwareAes.hasFlag(List.of("Features\t: fp asimd aes pmull"))).isTrue();
    assertThat(HardwareAes.hasFlag(List.of("model name : aes", "flags : fpu vaes sse2"))).isFalse();
  }

  @Test
  void there_is_a_known_answer_for_every_block_cipher_and_mode() {
    for (String cipher : Ciphers.names()) {
      if (!cipher.equals("cipher_null")) {
        assertThat(KnownAnswer.all())
            .as(cipher)
            .anyMatch(answer -> answer.cipher().equals(cipher) && answer.mode().equals("ecb"));
      }
    }
    for (String mode : Ciphers.modes()) {
      assertThat(KnownAnswer.all()).as(mode).anyMatch(answer -> answer.mode().equals(mode));
    }
  }

  /** As the service loader finds it, but cannot be made. */
  public static final class Unmade extends StubEngine {
    /** Fails. */
    public Unmade() {
      super("unmade", Kind.NATIVE, null, false);
      throw new NoClassDefFoundError("a library of another version");
    }
  }

  /** As the service loader finds it, but its library lacks a function. */
  public static final class Unlinked extends StubEngine {
    /** Called by the service loader. */
    public Unlinked() {
      super("unlinked", Kind.NATIVE, new JdkEngine(), false);
    }

    @Override
    public BlockCipher blockCipher(String cipher, KeyMaterial key) {
      throw new UnsatisfiedLinkError("no such function");
    }

    @Override
    public SectorCipher sectorCipher(SectorAlgorithm algorithm, KeyMaterial key) {
      throw new UnsatisfiedLinkError("no such function");
    }
  }

  /** Another engine under another name, perhaps with one bit of each result wrong. */
  private static class StubEngine implements Engine {
    private final String name;
    private final Kind kind;
    private final Engine behind;
    private final boolean wrong;
    int asked;

    StubEngine(String name, Kind kind, Engine behind, boolean wrong) {
      this.name = name;
      this.kind = kind;
      this.behind = behind;
      this.wrong = wrong;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Kind kind() {
      return kind;
    }

    @Override
    public Availability availability() {
      return Availability.of("1");
    }

    @Override
    public boolean supports(SectorAlgorithm algorithm) {
      asked++;
      return behind.supports(algorithm);
    }

    @Override
    public boolean supportsBlock(String cipher, int keySize) {
      return behind.supportsBlock(cipher, keySize);
    }

    @Override
    public BlockCipher blockCipher(String cipher, KeyMaterial key) throws EngineException {
      BlockCipher blocks = behind.blockCipher(cipher, key);
      return wrong ? new WrongBlockCipher(blocks) : blocks;
    }

    @Override
    public SectorCipher sectorCipher(SectorAlgorithm algorithm, KeyMaterial key)
        throws EngineException {
      asked++;
      return behind.sectorCipher(algorithm, key);
    }
  }

  private record WrongBlockCipher(BlockCipher right) implements BlockCipher {
    @Override
    public int blockSize() {
      return right.blockSize();
    }

    @Override
    public void encrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
      right.encrypt(in, inOffset, out, outOffset, length);
      out[outOffset + length - 1] ^= 1;
    }

    @Override
    public void decrypt(byte[] in, int inOffset, byte[] out, int outOffset, int length) {
      right.decrypt(in, inOffset, out, outOffset, length);
    }

    @Override
    public void close() {
      right.close();
    }
  }
}
