package io.jdm.cli.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A way to use a device.
 *
 * @param sequential whether requests follow each other, else each goes to a random place
 * @param transfer read or write
 * @param requestBytes bytes of every request, and what their positions are multiples of
 * @param depth requests at a time, each from a thread of its own
 */
record Workload(boolean sequential, Transfer transfer, int requestBytes, int depth) {
  private static final int SEQUENTIAL_BYTES = 1 << 20;
  private static final int RANDOM_BYTES = 4096;
  private static final long SEED = 2011;

  /** Sequential and random, write and read, at these depths. */
  static List<Workload> all(List<Integer> depths) {
    List<Workload> all = new ArrayList<>();
    for (boolean sequential : new boolean[] {true, false}) {
      for (Transfer transfer : Transfer.values()) {
        for (int depth : depths) {
          int bytes = sequential ? SEQUENTIAL_BYTES : RANDOM_BYTES;
          all.add(new Workload(sequential, transfer, bytes, depth));
        }
      }
    }
    return all;
  }

  String pattern() {
    return sequential ? "sequential" : "random";
  }

  /**
   * What its threads do.
   *
   * @param size bytes of the subject, of which only whole requests are used
   * @param buffers one for each thread, of at least a request
   */
  List<Team.Work> team(Subject subject, long size, List<ByteBuffer> buffers) {
    long places = size / requestBytes;
    int batch = Team.batch(requestBytes);
    AtomicLong next = new AtomicLong();
    List<Team.Work> team = new ArrayList<>();
    for (int thread = 0; thread < depth; thread++) {
      ByteBuffer buffer = buffers.get(thread).slice(0, requestBytes);
      SplittableRandom random = new SplittableRandom(SEED + thread);
      team.add(
          () -> {
            for (int i = 0; i < batch; i++) {
              long place = sequential ? next.getAndIncrement() % places : random.nextLong(places);
              request(subject, place * requestBytes, buffer.clear());
            }
            return batch;
          });
    }
    return team;
  }

  private void request(Subject subject, long offset, ByteBuffer buffer) throws IOException {
    if (transfer == Transfer.READ) {
      subject.read(offset, buffer);
    } else {
      subject.write(offset, buffer);
    }
  }

  @Override
  public String toString() {
    return pattern() + " " + transfer + " of " + requestBytes + ", depth " + depth;
  }
}
