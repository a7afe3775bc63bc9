import { type Clock, describeKind, TinkexError, ValidationError } from "@tinkex/base";
import { isLoopback } from "../request/base-url.js";
import { checkApiKey } from "./api-key.js";
import type { CredentialSource } from "./credential-command.js";
import { CredentialError } from "./credential-error.js";
import { checkTokenLife } from "./token-life.js";

/**
 * Checks the credentials that a source gives like one that is given outright, and names the source in every fault. What the source
 * throws of its own is not quoted, as it may hold the key: it is the cause of a CredentialError.
 */
export function checkedSource(source: CredentialSource, baseUrl: string, clock: Clock): CredentialSource {
  const { place = "credential" } = source;
  const fail = (fault: string): never => {
    throw new ValidationError(`${place} ${fault}`, { path: ["credential"] });
  };
  return async () => {
    const given: unknown = await ask(source, place);
    // The value is not shown: it may be a key in a wrapping of its own.
    if (typeof given !== "string")
      return fail(`must give a string, e.g. "tml-…", got ${describeKind(given)}`);
    if (given.trim() === "" && !isLoopback(baseUrl)) return fail(`must give the key, got an empty string`);
    const credential = checkApiKey(given, baseUrl, place) ?? "";
    checkTokenLife(credential, clock.now(), baseUrl, place);
    return credential;
  };
}

async function ask(source: CredentialSource, place: string): Promise<unknown> {
  try {
    return await source();
  } catch (error) {
    if (TinkexError.isInstance(error)) throw error;
    throw new CredentialError(`${place} failed to give a key; its own error is the cause of this one`, error);
  }
}
