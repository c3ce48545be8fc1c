package io.jdm.mapper;

/** Stands where the next landing brings the body. */
public final class Pending {
  private Pending() {}

  @SuppressWarnings({"TypeParameterUnusedInFormals", "DoNotCallSuggester"})
  /** Never returns normally. */
  public static <T> T body() {
    throw new UnsupportedOperationException("being built");
  }
}
