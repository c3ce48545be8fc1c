package io.jdm.nbd;

import io.jdm.blockdev.Errno;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Where an export is: {@code nbd://HOST[:PORT]/EXPORT}, {@code nbd+unix:///EXPORT?socket=PATH}, and
 * the same with {@code nbds} for TLS (spec/nbd.md section 6).
 *
 * @param tls whether TLS is required
 * @param host name or address without brackets; empty for a Unix socket
 * @param port 0 for a Unix socket
 * @param socket path of the Unix socket; empty for TCP
 * @param export name of the export; empty for the default one
 * @param parameters what else stands behind the question mark, decoded
 */
public record NbdUri(
    boolean tls,
    String host,
    int port,
    String socket,
    String export,
    Map<String, String> parameters) {
  /** The port that IANA gave to NBD. */
  public static final int DEFAULT_PORT = 10809;

  /** The forms in one line. */
  public static final String USAGE =
      "nbd[s]://HOST[:PORT]/EXPORT or nbd[s]+unix:///EXPORT?socket=PATH";

  private static final String SOCKET = "socket";
  private static final Set<String> SCHEMES = Set.of("nbd", "nbds", "nbd+unix", "nbds+unix");
  private static final Set<String> PARAMETERS =
      Set.of(
          "tls-type",
          "tls-certificates",
          "tls-hostname",
          "tls-verify-peer",
          "connections",
          "reconnect",
          "timeout");

  public NbdUri {
    parameters = Map.copyOf(parameters);
  }

  /** The address of an export on a Unix socket, without TLS. */
  public static NbdUri unix(String socket, String export) {
    return new NbdUri(false, "", 0, socket, export, Map.of());
  }

  /** The address of an export on TCP. */
  public static NbdUri tcp(boolean tls, String host, int port, String export) {
    return new NbdUri(tls, host, port, "", export, Map.of());
  }

  /**
   * Parses an address.
   *
   * @throws NbdException {@link Errno#EINVAL} naming the part that is wrong
   */
  public static NbdUri parse(String text) throws NbdException {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw invalid(text, e.getReason() + " at index " + e.getIndex());
    }
    String scheme = uri.getScheme();
    if (scheme == null || !SCHEMES.contains(scheme)) {
      throw invalid(text, "its scheme is none of NBD");
    }
    boolean unix = scheme.endsWith("+unix");
    String path = uri.getRawPath();
    if (path == null || uri.getRawFragment() != null || uri.getRawUserInfo() != null) {
      throw invalid(text, "expected " + USAGE);
    }
    Map<String, String> parameters = new TreeMap<>();
    String query = uri.getRawQuery();
    for (String pair : query == null ? new String[0] : query.split("&")) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      if (!PARAMETERS.contains(name) && !(unix && name.equals(SOCKET))) {
        throw invalid(text, "unknown parameter '" + name + "'");
      }
      if (parameters.put(name, equals < 0 ? "" : decode(pair.substring(equals + 1))) != null) {
        throw invalid(text, "parameter '" + name + "' stands there twice");
      }
    }
    boolean tls = scheme.startsWith("nbds");
    String export = path.isEmpty() ? "" : decode(path.substring(1));
    if (Handshake.bytes(export).length > ExportInfo.MAX_STRING || export.indexOf(0) >= 0) {
      throw invalid(text, "no export has such a name");
    }
    String host = uri.getHost();
    if (unix) {
      String socket = parameters.remove(SOCKET);
      if (socket == null || socket.isEmpty()) {
        throw invalid(text, "parameter 'socket' is missing");
      }
      if (uri.getRawAuthority() != null) {
        throw invalid(text, "a Unix socket has no host");
      }
      return new NbdUri(tls, "", 0, socket, export, parameters);
    }
    if (host == null) {
      throw invalid(text, "the host is missing");
    }
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    if (port == 0 || port > 0xffff) {
      throw invalid(text, "port is " + port + ", expected 1 to 65535");
    }
    return new NbdUri(tls, host, port, "", export, parameters);
  }

  /** Whether it is a Unix socket. */
  public boolean isUnix() {
    return !socket.isEmpty();
  }

  /** The same with another path of the Unix socket. */
  public NbdUri withSocket(String path) {
    return new NbdUri(tls, host, port, path, export, parameters);
  }

  /** A parameter, or what stands for it if it is not given. */
  public String parameter(String name, String otherwise) {
    return parameters.getOrDefault(name, otherwise);
  }

  /** The address in the one form that is equal for equal addresses. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(tls ? "nbds" : "nbd");
    if (isUnix()) {
      text.append("+unix://");
    } else {
      text.append("://").append(host.indexOf(':') < 0 ? host : "[" + host + "]");
      if (port != DEFAULT_PORT) {
        text.append(':').append(port);
      }
    }
    text.append('/').append(encode(export));
    Map<String, String> all = new TreeMap<>(parameters);
    if (isUnix()) {
      all.put(SOCKET, socket);
    }
    char separator = '?';
    for (Map.Entry<String, String> entry : all.entrySet()) {
      text.append(separator).append(entry.getKey()).append('=').append(encode(entry.getValue()));
      separator = '&';
    }
    return text.toString();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("%2F", "/");
  }

  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static NbdException invalid(String text, String reason) {
    return new NbdException(Errno.EINVAL, "'" + text + "' is no NBD address: " + reason);
  }
}
