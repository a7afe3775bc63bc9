/** Side at fault for a failed operation, as the service sees it. An unknown enum value reads as `unknown`. */
export type RequestErrorCategory = "unknown" | "server" | "user";

/** Reads a category as the service wrote it, in any case: servers differ in theirs. */
export function parseRequestErrorCategory(text: unknown): RequestErrorCategory {
  const word = typeof text === "string" ? text.toLowerCase() : undefined;
  return word === "server" || word === "user" ? word : "unknown";
}
