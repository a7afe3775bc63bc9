import { visibleText } from "@tinkex/base";
import { blotOut } from "./secrets.js";

/** Longest piece of a server's words in a message or log line, in characters. */
const MAX_SHOWN = 2_000;

/**
 * Makes a server's words fit to stand in our messages and log lines: without the secrets, however they are written, and with
 * control characters escaped. The one place where a server's text becomes ours.
 */
export function shownText(text: string, secrets: readonly string[], maxLength = MAX_SHOWN): string {
  // Looked through further than it is shown, so that no secret is missed because its end is cut off.
  const clean = blotOut(text.slice(0, maxLength + MAX_SECRET_LENGTH), secrets);
  const cut = clean.length <= maxLength ? clean : `${clean.slice(0, maxLength)}…`;
  return visibleText(cut);
}

/** Longest that a credential may be, as it is written with all its escapes, in characters. */
const MAX_SECRET_LENGTH = 64 * 1024;
