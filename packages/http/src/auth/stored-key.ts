import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../errors/error-code.js";
import { CredentialError } from "./credential-error.js";

/** The store's layout that we know. */
const VERSION = 1;

/**
 * The default key of the store that `tinker auth login` writes (`.tinker/credentials.json`), or `undefined` when there
 * is no store or no default.
 *
 * @param home - the user's home folder
 * @throws CredentialError for a store that cannot be read; its message names the file and holds nothing of it
 */
export async function readStoredKey(home: string): Promise<string | undefined> {
  const path = join(home, ".tinker", "credentials.json");
  const fail = (why: string): never => {
    throw new CredentialError(`${path} ${why}; log in again, or set TINKER_API_KEY`);
  };
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    return fail(`cannot be read (${errorCode(error)})`);
  }
  let store: unknown;
  try {
    store = JSON.parse(content);
  } catch {
    // The parser's message would quote the file, and the key with it.
    return fail("is not JSON");
  }
  if (field(store, "version") !== VERSION) return fail(`is not of version ${VERSION}`);
  const chosen = field(store, "default");
  if (typeof chosen !== "string") return undefined;
  const key = field(field(field(store, "keys"), chosen), "key");
  return typeof key === "string" && key !== "" ? key : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
