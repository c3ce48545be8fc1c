package io.jdm.cli.bench;

import io.jdm.crypt.engine.Engine;
import io.jdm.crypt.engine.Engines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The facts about machine and programs that belong to every figure.
 *
 * @param cpu the model, as the CPU names itself
 * @param cpuFlags those of its instruction sets that matter to ciphers
 * @param cores that this process may use
 * @param system kernel or operating system with version and architecture
 * @param java version and maker of the JVM
 * @param engines the engines that can be used, with their versions
 */
record Machine(
    String cpu,
    List<String> cpuFlags,
    int cores,
    String system,
    String java,
    Map<String, String> engines) {
  private static final Path CPUINFO = Path.of("/proc/cpuinfo");

  /** Linux's names on x86 and ARM. */
  private static final List<String> CIPHER_FLAGS =
      List.of("aes", "vaes", "pclmulqdq", "vpclmulqdq", "avx2", "avx512f", "gfni", "pmull", "sve2");

  /** The machine that this process runs on. */
  static Machine here() {
    Map<String, String> cpuinfo = cpuinfo();
    List<String> flags =
        Arrays.asList(
            cpuinfo.getOrDefault("flags", cpuinfo.getOrDefault("Features", "")).split(" "));
    return new Machine(
        cpuinfo.getOrDefault("model name", System.getProperty("os.arch")),
        CIPHER_FLAGS.stream().filter(flags::contains).toList(),
        Runtime.getRuntime().availableProcessors(),
        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
        property("java.vm.version") + " (" + property("java.vm.name") + ")",
        Engines.installed().all().stream()
            .filter(engine -> engine.availability().available())
            .collect(
                Collectors.toMap(
                    Engine::name,
                    engine -> engine.availability().version(),
                    (first, second) -> first,
                    LinkedHashMap::new)));
  }

  private static String property(String name) {
    return System.getProperty(name);
  }

  /** The first processor's lines, by what stands before the colon; empty without such a file. */
  private static Map<String, String> cpuinfo() {
    try {
      return Files.readAllLines(CPUINFO).stream()
          .map(line -> line.split("\\s*:\\s*", 2))
          .filter(words -> words.length == 2)
          .collect(Collectors.toMap(words -> words[0], words -> words[1], (first, later) -> first));
    } catch (IOException e) {
      return Map.of();
    }
  }

  /** For people: a line each for CPU, system, Java and engines. */
  String text() {
    String flags = cpuFlags.isEmpty() ? "" : " (" + String.join(" ", cpuFlags) + ")";
    return "CPU      "
        + cpu
        + ", "
        + cores
        + (cores == 1 ? " core" : " cores")
        + flags
        + "\n"
        + "System   "
        + system
        + "\n"
        + "Java     "
        + java
        + "\n"
        + "Engines  "
        + engines.entrySet().stream()
            .map(engine -> engine.getKey() + " " + engine.getValue())
            .collect(Collectors.joining(", "))
        + "\n";
  }

  /** For programs. */
  Map<String, Object> json() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("cpu", cpu);
    facts.put("cpuFlags", cpuFlags);
    facts.put("cores", cores);
    facts.put("system", system);
    facts.put("java", java);
    facts.put("engines", engines);
    return facts;
  }
}
