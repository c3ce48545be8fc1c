package io.jdm.cli.session;

/** Words and file names in messages, quoted as the GNU tools do it. */
public final class Quote {
  private Quote() {}

  /** A word of the command line: {@code 'conv=foo'}, with C's backslash escapes. */
  public static String word(String word) {
    StringBuilder quoted = new StringBuilder(word.length() + 2).append('\'');
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      if (Character.isISOControl(c)) {
        quoted.append(escape(c));
      } else {
        quoted.append(c == '\'' || c == '\\' ? "\\" : "").append(c);
      }
    }
    return quoted.append('\'').toString();
  }

  /** A file name, always in quotes that a shell takes away again: {@code 'disk.img'}. */
  public static String file(String name) {
    if (name.indexOf('\'') >= 0 && name.chars().noneMatch(Quote::specialInDoubleQuotes)) {
      return '"' + name + '"';
    }
    StringBuilder quoted = new StringBuilder(name.length() + 2);
    boolean escaping = false;
    quoted.append('\'');
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (Character.isISOControl(c)) {
        quoted.append(escaping ? "" : "'$'").append(escape(c));
        escaping = true;
      } else {
        quoted.append(escaping ? "''" : "").append(c == '\'' ? "'\\''" : c);
        escaping = false;
      }
    }
    return quoted.append('\'').toString();
  }

  /** A file name, in quotes only where a shell needs them: {@code disk.img}. */
  public static String fileIfNeeded(String name) {
    boolean plain =
        !name.isEmpty()
            && name.chars().noneMatch(c -> Character.isISOControl(c) || isShellSpecial(c))
            && !name.startsWith("#")
            && !name.startsWith("~");
    return plain ? name : file(name);
  }

  private static boolean isShellSpecial(int c) {
    return " !\"$&'()*;<=>[\\^`|?".indexOf(c) >= 0;
  }

  private static boolean specialInDoubleQuotes(int c) {
    return Character.isISOControl(c) || "\"$`\\!".indexOf(c) >= 0;
  }

  private static String escape(char c) {
    return switch (c) {
      case '\u0007' -> "\\a";
      case '\b' -> "\\b";
      case '\f' -> "\\f";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case '\u000b' -> "\\v";
      default -> String.format("\\%03o", (int) c);
    };
  }
}
