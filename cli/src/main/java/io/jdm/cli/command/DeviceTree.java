package io.jdm.cli.command;

import io.jdm.cli.session.ToolException;
import io.jdm.mapper.Dependency;
import io.jdm.mapper.DeviceId;
import io.jdm.mapper.DeviceInfo;
import io.jdm.mapper.DeviceMapper;
import io.jdm.mapper.DeviceNumber;
import io.jdm.mapper.MapperException;
import io.jdm.mapper.Slot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What {@code ls --tree} prints, as it was at one moment. */
final class DeviceTree {
  /** Those that only choose how lines are drawn or cut are taken: lines are ASCII and whole. */
  private static final Set<String> OPTIONS =
      Set.of(
          "device",
          "nodevice",
          "blkdevname",
          "active",
          "open",
          "rw",
          "uuid",
          "inverted",
          "notrunc",
          "ascii",
          "utf",
          "vt100");

  private final Set<String> options;
  private final Map<String, Node> nodes = new LinkedHashMap<>();

  /** A device: what is printed, and the devices one step down and up. */
  private static final class Node {
    private final String label;
    private final boolean mapped;
    private final Set<Node> below = new LinkedHashSet<>();
    private final Set<Node> above = new LinkedHashSet<>();

    Node(String label, boolean mapped) {
      this.label = label;
      this.mapped = mapped;
    }
  }

  DeviceTree(DeviceMapper mapper, Set<String> options) throws MapperException {
    this.options = options;
    List<DeviceInfo> devices = mapper.list();
    for (DeviceInfo device : devices) {
      nodes.put(device.number().toString(), new Node(label(device), true));
    }
    for (DeviceInfo device : devices) {
      Node node = nodes.get(device.number().toString());
      for (Dependency dep : mapper.deps(device.id(), Slot.LIVE)) {
        Node below = nodes.get(dep.name());
        if (below == null) {
          below = new Node(foreign(mapper, dep), dep.number().isPresent());
          nodes.put(dep.name(), below);
        }
        node.below.add(below);
        below.above.add(node);
      }
    }
  }

  /** Reads {@code -o}. */
  static Set<String> options(String text) throws ToolException {
    Set<String> options = new LinkedHashSet<>();
    for (String option : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      if (!OPTIONS.contains(option)) {
        throw new ToolException("Tree option not recognised: " + option);
      }
      options.add(option);
    }
    return options;
  }

  private String foreign(DeviceMapper mapper, Dependency dep) throws MapperException {
    Optional<DeviceNumber> number = dep.number();
    if (number.isPresent()) { // It came after the list was made.
      return label(mapper.info(DeviceId.numbered(number.get().major(), number.get().minor())));
    }
    return options.contains("nodevice") ? "" : "(" + dep.name() + ")";
  }

  private String label(DeviceInfo device) {
    StringBuilder label = new StringBuilder(device.name());
    if (options.contains("blkdevname")) {
      label.append(" <dm-").append(device.number().minor()).append('>');
    }
    if (!options.contains("nodevice")) {
      label.append(" (").append(device.number()).append(')');
    }
    List<String> facts = new ArrayList<>();
    if (options.contains("active")) {
      facts.add(device.suspended() ? "SUSPENDED" : "ACTIVE");
    }
    if (options.contains("rw")) {
      facts.add(device.readOnly() ? "RO" : "RW");
    }
    if (options.contains("open")) {
      facts.add(Integer.toString(device.openCount()));
    }
    if (options.contains("uuid")) {
      facts.add(device.uuid());
    }
    return facts.isEmpty()
        ? label.toString()
        : label.append(" [").append(String.join(", ", facts)).append(']').toString();
  }

  String text() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes.values()) {
      if ((inverted() ? node.below : node.above).isEmpty()) {
        text.append(node.label).append('\n');
        appendChildren(text, node, " ");
      }
    }
    return text.toString();
  }

  private boolean inverted() {
    return options.contains("inverted");
  }

  private void appendChildren(StringBuilder text, Node node, String indent) {
    List<Node> children = List.copyOf(inverted() ? node.above : node.below);
    for (int i = 0; i < children.size(); i++) {
      boolean last = i == children.size() - 1;
      Node child = children.get(i);
      text.append(indent).append(last ? "`-" : "|-").append(child.mapped ? "" : " ");
      text.append(child.label).append('\n');
      appendChildren(text, child, indent + (last ? "   " : "|  "));
    }
  }
}
