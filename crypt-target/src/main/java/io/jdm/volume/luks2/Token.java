package io.jdm.volume.luks2;

import io.jdm.volume.VolumeException;
import java.util.List;
import java.util.Map;

/**
 * A token: where a passphrase for some keyslots may come from (source: spec/luks2.md section 5.4).
 *
 * @param type {@code luks2-keyring}, {@code systemd-tpm2} ...
 * @param keyslots that it opens
 * @param json the whole object, which nobody changes
 */
public record Token(int id, String type, List<Integer> keyslots, Map<String, Object> json) {
  static final String KEYRING = "luks2-keyring";

  static Token parse(int id, Fields fields) throws VolumeException {
    String type = fields.text("type");
    if (type.equals(KEYRING)) {
      fields.requireOnly("type", "keyslots", "key_description");
      fields.text("key_description");
    }
    return new Token(id, type, fields.ids("keyslots", Metadata.MAX_KEYSLOTS), fields.raw());
  }
}
