package io.jdm.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses: spec/nbd.md section 6. */
class NbdUriTest {
  @ParameterizedTest
  @CsvSource({
    "nbd://host, false, host, 10809, ''",
    "nbd://host/, false, host, 10809, ''",
    "nbd://host:1234/disk, false, host, 1234, disk",
    "nbd://host//disk, false, host, 10809, /disk",
    "nbd://[::1]:5/a/b, false, ::1, 5, a/b",
    "nbds://192.0.2.1/%C3%BC%20x, true, 192.0.2.1, 10809, ü x",
    "nbd://host/a+b, false, host, 10809, a+b",
  })
  void tcp(String text, boolean tls, String host, int port, String export) throws NbdException {
    NbdUri uri = NbdUri.parse(text);
    assertThat(uri.tls()).isEqualTo(tls);
    assertThat(uri.host()).isEqualTo(host);
    assertThat(uri.port()).isEqualTo(port);
    assertThat(uri.export()).isEqualTo(export);
    assertThat(uri.isUnix()).isFalse();
    assertThat(NbdUri.parse(uri.toString())).isEqualTo(uri);
  }

  @ParameterizedTest
  @CsvSource({
    "nbd+unix:///?socket=/tmp/s, false, /tmp/s, ''",
    "nbd+unix:///disk?socket=/tmp/s, false, /tmp/s, disk",
    "nbd+unix:////disk?socket=rel/s, false, rel/s, /disk",
    "nbds+unix:///a%2Fb?socket=/tmp/a%20b, true, /tmp/a b, a/b",
  })
  void unix(String text, boolean tls, String socket, String export) throws NbdException {
    NbdUri uri = NbdUri.parse(text);
    assertThat(uri.tls()).isEqualTo(tls);
    assertThat(uri.socket()).isEqualTo(socket);
    assertThat(uri.export()).isEqualTo(export);
    assertThat(uri.isUnix()).isTrue();
    assertThat(NbdUri.parse(uri.toString())).isEqualTo(uri);
  }

  @Test
  void parametersAreKeptInOneOrder() throws NbdException {
    NbdUri uri = NbdUri.parse("nbd://h/x?timeout=5&connections=2");
    assertThat(uri.parameter("timeout", "60")).isEqualTo("5");
    assertThat(uri.parameter("reconnect", "30")).isEqualTo("30");
    assertThat(uri).hasToString("nbd://h/x?connections=2&timeout=5");
    assertThat(NbdUri.parse("nbd+unix:///?tls-hostname=a%26b&socket=/s?x"))
        .hasToString("nbd+unix:///?socket=/s%3Fx&tls-hostname=a%26b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nbd",
        "nbd:",
        "nbd:host",
        "nbd://",
        "nbd:///disk",
        "http://host/",
        "nbd+ssh://host/",
        "nbd://host:0/",
        "nbd://host:65536/",
        "nbd://host/#x",
        "nbd://user@host/",
        "nbd://host/?socket=/s",
        "nbd://host/?unknown=1",
        "nbd://host/?timeout=1&timeout=2",
        "nbd://ho st/",
        "nbd://host/%zz",
        "nbd://host/%00",
        "nbd+unix:///",
        "nbd+unix:///?socket=",
        "nbd+unix://host/?socket=/s",
      })
  void whatIsNoAddressIsRefusedWithTheReason(String text) {
    assertThatThrownBy(() -> NbdUri.parse(text))
        .isInstanceOf(NbdException.class)
        .hasMessageStartingWith("'" + text + "' is no NBD address: ");
  }

  @Test
  void aNameOfMoreThan4096BytesIsRefused() throws NbdException {
    assertThat(NbdUri.parse("nbd://h/" + "x".repeat(4096)).export()).hasSize(4096);
    assertThatThrownBy(() -> NbdUri.parse("nbd://h/" + "x".repeat(4097)))
        .isInstanceOf(NbdException.class);
  }
}
