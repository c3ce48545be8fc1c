package io.jdm.nbd;

import io.jdm.blockdev.BlockDevice;
import io.jdm.nbd.server.Export;
import io.jdm.nbd.server.NbdServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A server on a Unix socket in a folder of its own, for one test. */
public final class Served implements AutoCloseable {
  private final Path folder;
  private final NbdServer server;
  private final NbdUri uri;

  private Served(Path folder, NbdServer server, NbdUri uri) {
    this.folder = folder;
    this.server = server;
    this.uri = uri;
  }

  /** Serves a device as the default export. */
  public static Served device(BlockDevice device) throws IOException {
    return of(builder -> builder.export(Export.of("", device)));
  }

  /** Serves what is chosen. */
  public static Served of(Consumer<NbdServer.Builder> choice) throws IOException {
    Path folder = Files.createTempDirectory("nbd");
    NbdServer.Builder builder = NbdServer.builder();
    choice.accept(builder);
    NbdServer server = builder.build();
    return new Served(folder, server, server.listenUnix(folder.resolve("s")));
  }

  public NbdServer server() {
    return server;
  }

  public NbdUri uri() {
    return uri;
  }

  /** The address for tools, with another export's name. */
  public String uri(String export) {
    return new NbdUri(uri.tls(), "", 0, uri.socket(), export, uri.parameters()).toString();
  }

  public Path socket() {
    return Path.of(uri.socket());
  }

  /** A file beside the socket. */
  public Path file(String name) {
    return folder.resolve(name);
  }

  @Override
  public void close() throws IOException {
    server.close();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
