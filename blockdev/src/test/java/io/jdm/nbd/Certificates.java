package io.jdm.nbd;

import io.jdm.testing.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Makes certificates as qemu, nbdkit and libnbd want them, with openssl. */
public final class Certificates {
  private Certificates() {}

  /** An authority, and a server (localhost, 127.0.0.1) and a client that it vouches for. */
  public static Path create(Path folder) throws IOException {
    Files.createDirectories(folder);
    key(folder.resolve("ca-key.pem"));
    Program.run(
        "openssl",
        "req",
        "-x509",
        "-new",
        "-key",
        folder.resolve("ca-key.pem"),
        "-subj",
        "/CN=test authority",
        "-days",
        "3650",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-out",
        folder.resolve("ca-cert.pem"));
    issue(folder, "server", "serverAuth");
    issue(folder, "client", "clientAuth");
    return folder;
  }

  /** The same authority, but nothing that proves who one is. */
  public static Path withoutIdentity(Path certificates, Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.copy(
        certificates.resolve("ca-cert.pem"),
        folder.resolve("ca-cert.pem"),
        StandardCopyOption.REPLACE_EXISTING);
    return folder;
  }

  private static void key(Path file) throws IOException {
    Program.run(
        "openssl",
        "genpkey",
        "-algorithm",
        "EC",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-out",
        file);
  }

  private static void issue(Path folder, String side, String usage) throws IOException {
    Path key = folder.resolve(side + "-key.pem");
    Path request = folder.resolve(side + ".csr");
    key(key);
    Program.run("openssl", "req", "-new", "-key", key, "-subj", "/CN=localhost", "-out", request);
    Path extensions =
        Files.writeString(
            folder.resolve(side + ".ext"),
            "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=" + usage + "\n");
    Program.run(
        "openssl",
        "x509",
        "-req",
        "-in",
        request,
        "-CA",
        folder.resolve("ca-cert.pem"),
        "-CAkey",
        folder.resolve("ca-key.pem"),
        "-CAcreateserial",
        "-days",
        "3650",
        "-extfile",
        extensions,
        "-out",
        folder.resolve(side + "-cert.pem"));
  }
}
