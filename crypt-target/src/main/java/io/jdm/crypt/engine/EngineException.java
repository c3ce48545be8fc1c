package io.jdm.crypt.engine;

import java.io.IOException;

/**
 * An engine cannot make a cipher, or its library failed. The message names engine, cipher and key
 * size, never a key.
 */
public final class EngineException extends IOException {
  private static final long serialVersionUID = 1L;

  public EngineException(String message) {
    super(message);
  }

  public EngineException(String message, Throwable cause) {
    super(message, cause);
  }
}
