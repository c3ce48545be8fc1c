package io.jdm.volume.luks2;

import io.jdm.volume.VolumeException;
import io.jdm.volume.VolumeException.Reason;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * The JSON area as a tree of maps, lists, strings, numbers, booleans and nulls that keeps the order
 * and whatever it does not know. Strict and bounded: nothing that a header holds makes it large,
 * deep or ambiguous.
 */
final class Json {
  private static final String AREA = "JSON area";
  private static final int MAX_DEPTH = 32;
  private static final int MAX_NAME = 256;
  private static final int MAX_NUMBER = 20;

  /** Values and names; a full header has some 2000. */
  private static final int MAX_TOKENS = 50_000;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNameLength(MAX_NAME)
                  .maxNumberLength(MAX_NUMBER)
                  .maxTokenCount(MAX_TOKENS)
                  .maxStringLength(BinaryHeader.MAX_SIZE)
                  .maxDocumentLength(BinaryHeader.MAX_SIZE)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private Json() {}

  /**
   * Reads a JSON area: an object from its first byte on, then zeros, at least one.
   *
   * @param offset of the area on the device, for errors
   */
  static Map<String, Object> parse(byte[] area, long offset) throws VolumeException {
    int end = 0;
    while (end < area.length && area[end] != 0) {
      end++;
    }
    if (end == area.length) {
      throw damaged(offset, "without a zero byte at its end", "zeros after the text");
    }
    for (int i = end; i < area.length; i++) {
      if (area[i] != 0) {
        throw damaged(offset, "with data at byte " + i + " behind its end", "zeros there");
      }
    }
    if (area[0] != '{') {
      throw damaged(offset, "no object", "'{' as the first byte");
    }
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), area, 0, end)) {
      parser.nextToken();
      Map<String, Object> object = object(parser);
      if (parser.nextToken() != null) {
        throw damaged(offset, "more than one value", "one object");
      }
      return object;
    } catch (JacksonException e) {
      throw VolumeException.of(
          Reason.DAMAGED,
          Luks2Volume.FORMAT,
          offset,
          AREA,
          "LUKS2 header at byte " + offset + ": JSON area: " + e.getOriginalMessage());
    }
  }

  private static VolumeException damaged(long offset, String found, String expected) {
    return VolumeException.damaged(Luks2Volume.FORMAT, offset, AREA, found, expected);
  }

  private static Map<String, Object> object(JsonParser parser) {
    Map<String, Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, value(parser));
    }
    return object;
  }

  private static Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser);
      case START_ARRAY -> array(parser);
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT -> parser.getNumberValue();
      case VALUE_NUMBER_FLOAT -> parser.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  private static List<Object> array(JsonParser parser) {
    List<Object> array = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser));
    }
    return array;
  }

  /** The text as cryptsetup writes it: UTF-8, no spaces, no zeros behind it. */
  static byte[] write(Map<String, Object> object) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
      write(generator, object);
    }
    return out.toByteArray();
  }

  private static void write(JsonGenerator generator, Object value) {
    if (value instanceof Map<?, ?> object) {
      generator.writeStartObject();
      object.forEach(
          (name, member) -> {
            generator.writeName((String) name);
            write(generator, member);
          });
      generator.writeEndObject();
    } else if (value instanceof List<?> array) {
      generator.writeStartArray();
      array.forEach(member -> write(generator, member));
      generator.writeEndArray();
    } else if (value instanceof String text) {
      generator.writeString(text);
    } else if (value instanceof Boolean flag) {
      generator.writeBoolean(flag);
    } else if (value instanceof Number number) {
      generator.writeNumber(number.toString());
    } else {
      generator.writeNull();
    }
  }

  /** A tree that can be changed without changing this one. */
  @SuppressWarnings("unchecked")
  static Map<String, Object> copy(Map<String, Object> object) {
    return (Map<String, Object>) copyValue(object);
  }

  private static Object copyValue(Object value) {
    if (value instanceof Map<?, ?> object) {
      Map<Object, Object> copy = new LinkedHashMap<>();
      object.forEach((name, member) -> copy.put(name, copyValue(member)));
      return copy;
    }
    if (value instanceof List<?> array) {
      List<Object> copy = new ArrayList<>();
      array.forEach(member -> copy.add(copyValue(member)));
      return copy;
    }
    return value;
  }
}
