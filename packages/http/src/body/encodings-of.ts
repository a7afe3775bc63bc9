/** Words that servers put in the place of an encoding where there is none; fetch and httpx pass over them. Stores remember `aws-chunked` of an upload. */
const NO_ENCODINGS: readonly string[] = [
  "",
  "identity",
  "none",
  "utf-8",
  "utf8",
  "binary",
  "8bit",
  "chunked",
  "aws-chunked",
];

/** Reads a `content-encoding`: names in lower case, in the order in which they were applied. */
export function encodingsOf(header = ""): string[] {
  const words = header.split(",").map((word) => word.trim().toLowerCase());
  return words.filter((word) => !NO_ENCODINGS.includes(word));
}
