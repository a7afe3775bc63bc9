/** Whose fault a failed operation is, as the service sees it. A word we do not know reads as `unknown`. */
export type RequestErrorCategory = "unknown" | "server" | "user";

/** Reads a category as the service wrote it; words are case-sensitive. */
export function parseRequestErrorCategory(text: unknown): RequestErrorCategory {
  return text === "server" || text === "user" ? text : "unknown";
}
