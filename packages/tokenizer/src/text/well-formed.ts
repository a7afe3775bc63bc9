/**
 * `text` with each lone surrogate (half of a character cut in two) replaced by U+FFFD. UTF-8 cannot hold a lone
 * surrogate, so this is what any encoder would see.
 */
export function wellFormed(text: string): string {
  // With the `u` flag a proper pair is one character, so the class matches lone halves only.
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}
