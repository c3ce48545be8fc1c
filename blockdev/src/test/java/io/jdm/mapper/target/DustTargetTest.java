package io.jdm.mapper.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.jdm.blockdev.Errno;
import io.jdm.mapper.Disks;
import io.jdm.mapper.MapperException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks of 1024 bytes on a disk of 32 of them, from sector 8 on. */
class DustTargetTest {
  private final Disks disks = new Disks();
  private Mapped mapped;

  @BeforeEach
  void create() throws Exception {
    disks.add("d", 64 * 512);
    mapped = new Mapped(disks, "0 32 dust disk:d 8 1024");
  }

  @AfterEach
  void close() {
    mapped.close();
  }

  private void refused(String message, String... log) {
    MapperException e = catchThrowableOfType(MapperException.class, () -> mapped.message(message));
    assertThat(e).as(message).isNotNull();
    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
    assertThat(e.kernelLog())
        .as(message)
        .isEqualTo(List.of(log).stream().map("device-mapper: dust: "::concat).toList());
  }

  @Test
  void itStartsBypassedAndVerbose() throws Exception {
    assertThat(mapped.status()).isEqualTo("disk:d bypass verbose");
    mapped.message("addbadblock 4");
    mapped.read(0, 1024);
    assertThat(mapped.message("ENABLE")).isEmpty();
    assertThat(mapped.message("quiet")).isEmpty();
    assertThat(mapped.status()).isEqualTo("disk:d fail_read_on_bad_block quiet");
    assertThat(Mapped.errno(() -> mapped.read(0, 1024))).isEqualTo(Errno.EIO);
    mapped.message("disable");
    mapped.message("quiet");
    assertThat(mapped.status()).isEqualTo("disk:d bypass verbose");
    mapped.read(0, 1024);
  }

  @Test
  void blocksAreNumberedOnTheDiskAndHealedByWrites() throws Exception {
    mapped.message("enable");
    mapped.message("addbadblock 5");
    mapped.message("addbadblock 6 2");
    mapped.read(0, 1024);
    assertThat(Mapped.errno(() -> mapped.read(1024, 512))).isEqualTo(Errno.EIO);
    assertThat(Mapped.errno(() -> mapped.read(0, 4096))).as("split at blocks").isEqualTo(Errno.EIO);
    mapped.write(1024 + 512, new byte[512]);
    mapped.read(1024, 1024);
    for (int i = 0; i < 2; i++) {
      assertThat(Mapped.errno(() -> mapped.write(2048, new byte[1024]))).isEqualTo(Errno.EIO);
    }
    assertThat(mapped.message("countbadblocks")).isEqualTo("countbadblocks: 1 badblock(s) found");
    mapped.write(2048, new byte[1024]);
    assertThat(mapped.message("countbadblocks")).isEqualTo("countbadblocks: 0 badblock(s) found");
  }

  @Test
  void discardsCountAsWrites() throws Exception {
    mapped.message("enable");
    mapped.message("addbadblock 4");
    mapped.message("addbadblock 7 1");
    mapped.message("addbadblock 12");
    assertThat(Mapped.errno(() -> mapped.device.discard(512, 4096))).isEqualTo(Errno.EIO);
    assertThat(mapped.message("listbadblocks")).isEqualTo("7\n12");
    mapped.device.discard(512, 4096);
    assertThat(mapped.message("listbadblocks")).isEqualTo("12");
  }

  @Test
  void theListCanBeAskedAndChanged() throws Exception {
    assertThat(mapped.message("listbadblocks")).isEqualTo("No blocks in badblocklist");
    mapped.message("addBadBlock 9");
    mapped.message("addbadblock 4 255");
    assertThat(mapped.message("listbadblocks")).isEqualTo("4\n9");
    assertThat(mapped.message("queryblock 9"))
        .isEqualTo("dust_query_block: block 9 found in badblocklist");
    assertThat(mapped.message("removebadblock 9")).isEmpty();
    assertThat(mapped.message("queryblock 9"))
        .isEqualTo("dust_query_block: block 9 not found in badblocklist");
    assertThat(mapped.message("clearbadblocks"))
        .isEqualTo("dust_clear_badblocks: badblocks cleared");
    assertThat(mapped.message("clearbadblocks"))
        .isEqualTo("dust_clear_badblocks: no badblocks found");
    assertThat(mapped.message("addbadblock 32")).as("one too many is accepted").isEmpty();
  }

  @Test
  void badMessagesAreRefused() throws Exception {
    mapped.message("addbadblock 4");
    refused("addbadblock 4", "dust_add_block: block 4 already in badblocklist");
    refused("removebadblock 5", "dust_remove_block: block 5 not found in badblocklist");
    mapped.message("quiet");
    refused("addbadblock 4");
    refused("removebadblock 5");
    refused("addbadblock 33", "selected block value out of range");
    refused("addbadblock -1");
    refused("addbadblock x");
    refused("addbadblock 5 256", "selected write fail count out of range");
    refused("addbadblock", "addbadblock requires an additional argument");
    refused("queryblock", "queryblock requires an additional argument");
    refused("queryblock 4 1", "unrecognized message 'queryblock' received");
    refused("bogus", "unrecognized message 'bogus' received");
    refused("bogus 4", "unrecognized message 'bogus' received");
    refused("a b c d", "invalid number of arguments '4'");
  }
}
