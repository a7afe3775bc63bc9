import { shownText } from "./shown-text.js";

/** Words of the service about a call it will drop, and their level. */
export interface DeprecationNote {
  readonly level: "warn" | "error";
  readonly text: string;
}

/** Reads `x-deprecation-note` and `x-deprecation-level` of an answer. */
export function deprecationNote(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): DeprecationNote | undefined {
  const text = shownText(headers["x-deprecation-note"]?.trim() ?? "", secrets);
  if (text === "") return undefined;
  const level = headers["x-deprecation-level"]?.trim().toLowerCase() === "error" ? "error" : "warn";
  return { level, text };
}
