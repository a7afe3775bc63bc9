/** Side at fault for a failed operation, as the service sees it. An unknown enum value reads as `unknown`. */
export type RequestErrorCategory = "unknown" | "server" | "user";

/** Reads a category as the service wrote it; words are case-sensitive. */
export function parseRequestErrorCategory(text: unknown): RequestErrorCategory {
  return text === "server" || text === "user" ? text : "unknown";
}
