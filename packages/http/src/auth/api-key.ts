import { checkString, ValidationError } from "@tinkex/base";
import { isLoopback } from "../request/base-url.js";

/**
 * Checks a key before anything is sent with it, and trims it: a line break that a shell or a file left behind is no
 * part of it. Keys of the service begin with `tml-`, tokens with `eyJ`; a server on this machine takes any key, or
 * none.
 *
 * @param source - how the user gave the key, for messages: `TINKER_API_KEY`, or an option's name
 * @returns the key, or `undefined` when there is none and none is needed
 * @throws ValidationError; its message names `source` and never holds the key
 */
export function checkApiKey(
  apiKey: string | undefined,
  baseUrl: string,
  source = "apiKey or TINKER_API_KEY",
): string | undefined {
  // The value is not shown: it may be a key in a wrapping of its own.
  if (apiKey !== undefined && apiKey !== null) checkString(apiKey, "apiKey", "tml-…");
  checkString(baseUrl, "checkApiKey: baseUrl", "https://tinker.example");
  const key = apiKey?.trim() ?? "";
  const fail = (message: string): never => {
    throw new ValidationError(message, { path: ["apiKey"] });
  };
  if (/[^\x21-\x7e]/.test(key)) {
    return fail(`the API key (${source}) holds a space, a line break or another character that no key has`);
  }
  const [first = ""] = key;
  // `docker --env-file` and some readers of `.env` files keep the quotes of a shell.
  if ((first === '"' || first === "'") && key.length > 1 && key.endsWith(first)) {
    return fail(`the API key (${source}) has quotes around it, which are no part of a key; leave them out`);
  }
  if (isLoopback(baseUrl)) return key === "" ? undefined : key;
  if (key === "") {
    return fail(
      `no API key for ${baseUrl}: set TINKER_API_KEY, or give the option apiKey; for a server on this machine set TINKER_BASE_URL or the option baseUrl`,
    );
  }
  if (!key.startsWith("tml-") && !key.startsWith("eyJ")) {
    return fail(`the API key (${source}) must start with "tml-", or with "eyJ" if it is a token`);
  }
  return key;
}
