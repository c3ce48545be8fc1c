package io.jdm.cli.mount;

import io.jdm.blockdev.DeviceException;
import io.jdm.blockdev.Errno;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A device whose file system is mounted on a folder: {@code jdm serve} exports the device on a
 * private socket, nbdfuse shows the export as a file, and fuse2fs or the kernel mounts that file.
 *
 * <p>The server runs for nbdfuse ({@code --run}), and nbdfuse for its mount: so unmounting that
 * file ends both, after a flush. What belongs to one mount lies in a folder of the user's own,
 * found again by the mount point.
 */
public final class Mount {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long PAUSE_MILLIS = 20;

  /** What the server runs; {@code unixsocket} is of {@code jdm serve}. */
  private static final String NBDFUSE =
      "exec \"$JDM_NBDFUSE\" \"$JDM_IMAGE\" --unix \"$unixsocket\"";

  private static final String NBDFUSE_READONLY =
      "exec \"$JDM_NBDFUSE\" -r \"$JDM_IMAGE\" --unix \"$unixsocket\"";

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");

  private final Path point;
  private final Path folder;

  /** The server, when this process has started it. */
  private Process server;

  /**
   * The mount on a folder, which need not be mounted yet.
   *
   * @throws IOException if there is no such folder
   */
  public Mount(Path point) throws IOException {
    this.point = point.toRealPath();
    if (!Files.isDirectory(this.point)) {
      throw new DeviceException(Errno.ENOTDIR, "not a directory: " + point);
    }
    this.folder = home().resolve("mount-" + hash(this.point));
  }

  /** Where this user's mounts are kept: a folder that nobody else can enter. */
  private static Path home() throws IOException {
    String runtime = System.getenv("XDG_RUNTIME_DIR");
    Path home =
        runtime == null || runtime.isEmpty()
            ? Path.of(
                System.getProperty("java.io.tmpdir"), "jdm-" + System.getProperty("user.name"))
            : Path.of(runtime, "jdm");
    try {
      Files.createDirectory(home, PosixFilePermissions.asFileAttribute(PRIVATE));
    } catch (FileAlreadyExistsException e) {
      PosixFileAttributes found =
          Files.readAttributes(home, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      // Root can write everywhere, also where somebody else waits for what it puts there.
      if (!found.isDirectory()
          || !found.permissions().equals(PRIVATE)
          || !found.owner().getName().equals(System.getProperty("user.name"))) {
        throw new IOException(home + " is not a folder that only you can enter", e);
      }
    }
    return home;
  }

  private static String hash(Path path) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(path.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private Path socket() {
    return folder.resolve("sock");
  }

  /** The file that shows the export. */
  private Path image() {
    return folder.resolve("nbd");
  }

  private Path pidFile() {
    return folder.resolve("pid");
  }

  private Path log() {
    return folder.resolve("log");
  }

  /** There while fuse2fs has the folder, and not the kernel. */
  private Path fuseMark() {
    return folder.resolve("fuse2fs");
  }

  /**
   * How to mount.
   *
   * @param readOnly whether nothing may be changed
   * @param fuse whether fuse2fs mounts, which needs no root; else the kernel through a loop device
   */
  public record Options(boolean readOnly, boolean fuse) {}

  /**
   * Mounts. On failure nothing is left running or mounted.
   *
   * @param maps devices that the server makes first, as concise text for its standard input; empty
   *     for none
   * @param globals words for {@code jdm} before its verb
   * @param device what {@code jdm serve} serves
   */
  public void mount(byte[] maps, List<String> globals, String device, Options options)
      throws IOException {
    List<Tool> tools = new ArrayList<>(List.of(Tool.NBDFUSE, Tool.FUSERMOUNT3, Tool.SETSID));
    tools.addAll(options.fuse() ? List.of(Tool.FUSE2FS) : List.of(Tool.MOUNT, Tool.UMOUNT));
    Tool.require(tools);
    if (Files.exists(pidFile()) && server().isEmpty()) {
      // The machine was started anew, or the server was killed.
      deleteFolder();
    }
    try {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PRIVATE));
    } catch (FileAlreadyExistsException e) {
      throw new DeviceException(
          Errno.EBUSY, "something is mounted by jdm already on " + point + ": jdm umount it", e);
    }
    try {
      Files.createFile(image());
      startServer(maps, globals, device, options);
      awaitImage();
      mountImage(options);
    } catch (IOException | RuntimeException e) {
      giveUp(e);
      throw e;
    }
  }

  private void startServer(byte[] maps, List<String> globals, String device, Options options)
      throws IOException {
    List<String> command = new ArrayList<>(Tool.SETSID.command());
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.jdm.cli.Main"));
    command.addAll(globals);
    if (maps.length > 0) {
      command.addAll(List.of("--map-file", "/dev/stdin"));
    }
    command.add("serve");
    if (options.readOnly()) {
      command.add("-r");
    }
    command.addAll(List.of("-U", socket().toString(), "-P", pidFile().toString()));
    command.addAll(List.of("--run", options.readOnly() ? NBDFUSE_READONLY : NBDFUSE, "--", device));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log().toFile());
    builder.environment().put("JDM_NBDFUSE", Tool.NBDFUSE.command().get(0));
    builder.environment().put("JDM_IMAGE", image().toString());
    server = builder.start();
    try (OutputStream in = server.getOutputStream()) {
      in.write(maps);
    }
  }

  /** Waits until the file has the device's bytes in it. */
  private void awaitImage() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (Files.size(image()) == 0) {
      if (!server.isAlive()) {
        throw new IOException("the device cannot be served:\n" + logged());
      }
      if (System.nanoTime() - deadline > 0) {
        throw new IOException("nothing came of nbdfuse within " + PATIENCE + ":\n" + logged());
      }
      pause();
    }
  }

  private String logged() throws IOException {
    return Files.exists(log()) ? Files.readString(log()).strip() : "";
  }

  private void mountImage(Options options) throws IOException {
    if (options.fuse()) {
      Tool.FUSE2FS.run(image(), point, "-o", options.readOnly() ? "ro,fakeroot" : "fakeroot");
      Files.createFile(fuseMark());
    } else {
      Tool.MOUNT.run("-o", options.readOnly() ? "loop,ro" : "loop", image(), point);
    }
  }

  private void giveUp(Exception reason) {
    try {
      if (server != null && server.isAlive()) {
        if (Files.size(image()) > 0) {
          unmountImage();
        } else {
          server.destroy();
        }
      }
      if (server != null) {
        awaitEnd(server.toHandle());
      }
      deleteFolder();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /**
   * Unmounts and waits until everything is written and the server has ended.
   *
   * @throws IOException if it is not mounted, is in use, or the server says that something failed
   */
  public void unmount() throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new DeviceException(Errno.EINVAL, "nothing is mounted by jdm on " + point);
    }
    if (Files.exists(fuseMark())) {
      Tool.FUSERMOUNT3.run("-u", point);
      Files.delete(fuseMark());
    } else {
      Tool.UMOUNT.run(point);
    }
    Optional<ProcessHandle> running = server();
    unmountImage();
    if (running.isPresent()) {
      awaitEnd(running.get());
    }
    String said = logged();
    deleteFolder();
    if (!said.isEmpty()) {
      throw new IOException("the server said:\n" + said);
    }
  }

  private Optional<ProcessHandle> server() throws IOException {
    return Files.exists(pidFile())
        ? ProcessHandle.of(Long.parseLong(Files.readString(pidFile()).strip()))
        : Optional.empty();
  }

  /**
   * Unmounts the file. It is busy until fuse2fs, which goes on after its own unmounting, or the
   * loop device has written everything.
   */
  private void unmountImage() throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        Tool.FUSERMOUNT3.run("-u", image());
        return;
      } catch (IOException e) {
        if (System.nanoTime() - deadline > 0 || !e.getMessage().contains("busy")) {
          throw e;
        }
      }
      pause();
    }
  }

  private static void awaitEnd(ProcessHandle process) throws IOException {
    try {
      process.onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the server, process " + process.pid() + ", has not ended", e);
    }
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void deleteFolder() throws IOException {
    for (Path file : List.of(socket(), image(), pidFile(), log(), fuseMark(), folder)) {
      Files.deleteIfExists(file);
    }
  }
}
