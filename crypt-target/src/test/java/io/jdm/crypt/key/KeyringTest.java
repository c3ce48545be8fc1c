package io.jdm.crypt.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class KeyringTest {
  private final Keyring keyring = new Keyring();

  @Test
  void givesCopiesThatOutliveTheKey() {
    KeyMaterial added = KeyMaterial.copyOf(new byte[] {1, 2, 3});
    keyring.add("user", "k", added);
    KeyMaterial requested = keyring.request("user", "k");
    assertThat(keyring.remove("user", "k")).isTrue();
    assertThat(keyring.remove("user", "k")).isFalse();
    assertThat(requested.exposeBytes()).containsExactly(1, 2, 3);
    assertThatThrownBy(added::exposeBytes).isInstanceOf(IllegalStateException.class);
    assertThat(keyring.request("user", "k")).isNull();
  }

  @Test
  void replacesAndWipesAKeyOfTheSameName() {
    KeyMaterial old = KeyMaterial.copyOf(new byte[1]);
    keyring.add("logon", "k", old);
    keyring.add("logon", "k", KeyMaterial.copyOf(new byte[2]));
    assertThatThrownBy(old::exposeBytes).isInstanceOf(IllegalStateException.class);
    assertThat(keyring.list()).containsExactly(new Keyring.Entry("logon", "k", 2));
  }

  @Test
  void listsNamesAndSizesAndForgetsAllWhenClosed() {
    keyring.add("logon", "a:b", KeyMaterial.copyOf(new byte[64]));
    keyring.add("trusted", "c", KeyMaterial.copyOf(new byte[32]));
    assertThat(keyring.list())
        .containsExactly(
            new Keyring.Entry("logon", "a:b", 64), new Keyring.Entry("trusted", "c", 32));
    keyring.close();
    assertThat(keyring.list()).isEmpty();
  }

  @Test
  void takesNoOtherTypesNoEmptyNamesAndNoEmptyKeys() {
    KeyMaterial key = KeyMaterial.copyOf(new byte[1]);
    assertThatThrownBy(() -> keyring.add("asymmetric", "k", key))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> keyring.add("user", "", key))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> keyring.add("user", "k", KeyMaterial.copyOf(new byte[0])))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
