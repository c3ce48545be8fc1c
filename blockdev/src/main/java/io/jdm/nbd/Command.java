package io.jdm.nbd;

/** The commands of the transmission phase (spec/nbd.md section 2). */
public enum Command {
  READ(0, CommandFlag.DF),
  WRITE(1, 0),
  /** The client leaves; there is no reply. */
  DISC(2, 0),
  FLUSH(3, 0),
  TRIM(4, 0),
  CACHE(5, 0),
  WRITE_ZEROES(6, CommandFlag.NO_HOLE | CommandFlag.FAST_ZERO),
  BLOCK_STATUS(7, CommandFlag.REQ_ONE);

  private static final Command[] COMMANDS = values();

  private final int number;
  private final int flags;

  Command(int number, int flags) {
    this.number = number;
    this.flags = flags;
  }

  /** The number on the wire. */
  public int number() {
    return number;
  }

  /** The command of this number, or null. */
  public static Command of(int number) {
    return number >= 0 && number < COMMANDS.length ? COMMANDS[number] : null;
  }

  /** Whether the command takes these flags; FUA goes with every command. */
  public boolean takes(int commandFlags) {
    return (commandFlags & ~(flags | CommandFlag.FUA)) == 0;
  }
}
