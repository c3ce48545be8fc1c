package io.jdm.cli.dd;

/** One of the system's devices that have no size and no place, and let everybody seek. */
abstract class EndlessEndpoint implements Endpoint {
  @Override
  public final boolean seekable() {
    return true;
  }

  @Override
  public final long position() {
    return 0;
  }

  @Override
  public final void seek(long position) {}

  @Override
  public final long fileSize() {
    return -1;
  }

  @Override
  public final void close() {}
}
