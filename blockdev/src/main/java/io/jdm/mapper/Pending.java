package io.jdm.mapper;

/** Stands where the next landing brings the body. */
public final class Pending {
  private Pending() {}

  /** Never returns normally. */
  @SuppressWarnings({"TypeParameterUnusedInFormals", "DoNotCallSuggester"})
  public static <T> T body() {
    throw new UnsupportedOperationException("being built");
  }
}
