package io.jdm.cli.session;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Handlers of signals, for as long as this is open. Where the system has no such signal, or keeps
 * it from Java, nothing is handled and nothing fails. Not thread-safe.
 *
 * <p>Java has no API for it but {@code sun.misc.Signal}, which its compiler lets nobody name
 * without a warning; hence the method handles.
 */
public final class Signals implements AutoCloseable {
  private static final List<String> ENDING = List.of("INT", "TERM", "HUP");

  private final Map<Object, Object> before = new LinkedHashMap<>();

  /**
   * Handles the signals that ask a command to end. Closing this gives them back, so that a second
   * one ends the process if what the first began takes too long.
   */
  public void handleEnding(Runnable handler) {
    ENDING.forEach(name -> handle(name, handler));
  }

  /**
   * Handles a signal.
   *
   * @param name without SIG: {@code INT}, {@code USR1}
   * @param handler runs in a thread of its own each time the signal comes
   */
  public void handle(String name, Runnable handler) {
    try {
      Object signal = Sun.NEW_SIGNAL.invoke(name);
      before.putIfAbsent(signal, Sun.HANDLE.invoke(signal, Sun.handler(handler)));
    } catch (Throwable e) {
      // No such signal here; there is nothing that could be done about it.
    }
  }

  /**
   * Ends this process as the signal does where nobody handles it, at once and without shutdown
   * hooks, so that a shell sees a process that was interrupted and not one that merely failed.
   * Returns where the system does not have it so, and for other signals: a command that was run may
   * have left with any exit code.
   *
   * @param number one of those in {@link ExitCodes}
   */
  public static void die(int number) {
    String name =
        switch (number) {
          case ExitCodes.SIGHUP -> "HUP";
          case ExitCodes.SIGINT -> "INT";
          case ExitCodes.SIGPIPE -> "PIPE";
          case ExitCodes.SIGTERM -> "TERM";
          default -> "";
        };
    if (name.isEmpty()) {
      return;
    }
    try {
      Object signal = Sun.NEW_SIGNAL.invoke(name);
      Sun.HANDLE.invoke(signal, Sun.DEFAULT);
      // sun.misc.Signal raises only what Java code handles.
      new ProcessBuilder("sh", "-c", "kill -" + name + " " + ProcessHandle.current().pid())
          .start()
          .waitFor();
    } catch (Throwable e) {
      // No such signal here; the exit code has to tell.
    }
  }

  /** Gives the signals back to whoever had them before. */
  @Override
  public void close() {
    before.forEach(
        (signal, handler) -> {
          try {
            Sun.HANDLE.invoke(signal, handler);
          } catch (Throwable e) {
            throw new IllegalStateException("a signal was handled but cannot be given back", e);
          }
        });
    before.clear();
  }

  /** The parts of {@code sun.misc}. */
  private static final class Sun {
    static final Class<?> HANDLER_TYPE;
    static final MethodHandle NEW_SIGNAL;
    static final MethodHandle HANDLE;
    static final MethodHandle RUN;

    /** What the system does where nobody handles a signal. */
    static final Object DEFAULT;

    static {
      try {
        Lookup lookup = MethodHandles.lookup();
        Class<?> signal = Class.forName("sun.misc.Signal");
        HANDLER_TYPE = Class.forName("sun.misc.SignalHandler");
        NEW_SIGNAL =
            lookup.findConstructor(signal, MethodType.methodType(void.class, String.class));
        HANDLE =
            lookup.findStatic(
                signal, "handle", MethodType.methodType(HANDLER_TYPE, signal, HANDLER_TYPE));
        DEFAULT = HANDLER_TYPE.getField("SIG_DFL").get(null);
        RUN = lookup.findVirtual(Runnable.class, "run", MethodType.methodType(void.class));
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    static Object handler(Runnable run) {
      return MethodHandleProxies.asInterfaceInstance(
          HANDLER_TYPE, MethodHandles.dropArguments(RUN.bindTo(run), 0, Object.class));
    }
  }
}
