package io.jdm.crypt.engine.jce;

import io.jdm.crypt.key.KeyMaterial;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.crypto.SecretKey;

/**
 * A key for the Java Cryptography Architecture that remembers every copy it handed out, so that
 * they can be wiped: some providers keep the array they were given for as long as the cipher lives.
 */
public final class JceKey implements SecretKey {
  private static final long serialVersionUID = 1L;

  private final String algorithm;
  private final transient KeyMaterial key;
  private final transient List<byte[]> copies = new ArrayList<>();

  /** Takes a copy; the key stays the caller's. */
  public JceKey(String algorithm, KeyMaterial key) {
    this.algorithm = algorithm;
    this.key = key.part(0, key.size());
  }

  @Override
  public String getAlgorithm() {
    return algorithm;
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  @Override
  public synchronized byte[] getEncoded() {
    byte[] copy = key.exposeBytes();
    copies.add(copy);
    return copy;
  }

  /** Wipes the key and all copies of it that were handed out. */
  @Override
  public synchronized void destroy() {
    copies.forEach(copy -> Arrays.fill(copy, (byte) 0));
    copies.clear();
    key.close();
  }

  private void writeObject(ObjectOutputStream out) throws NotSerializableException {
    throw new NotSerializableException("a key stays in memory");
  }
}
