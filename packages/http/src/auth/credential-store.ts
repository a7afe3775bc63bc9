import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { errorCode } from "../errors/error-code.js";
import { CredentialError } from "./credential-error.js";

/** The store's layout that we know. */
const VERSION = 1;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** One key of the store. Field names are those of the file, which other clients of the service read and write too. */
export interface StoredKey {
  /** `manual`: pasted by the user; `generated`: made by an older command line. */
  readonly type: "manual" | "generated";
  /** The key itself: a secret. */
  readonly key: string;
  readonly name: string;
  readonly note?: string | undefined;
  /** Whose key it is; a `generated` one has it. */
  readonly details?:
    | {
        readonly org_details: { readonly name: string };
        readonly user_details: { readonly email: string };
      }
    | undefined;
}

/** What `tinker auth login` keeps: keys by their id at the service, and which one is used. */
export interface CredentialStore {
  readonly version: typeof VERSION;
  /** Id of the key that is used. */
  readonly default?: string | undefined;
  readonly keys: Readonly<Record<string, StoredKey>>;
}

const EMPTY: CredentialStore = { version: VERSION, keys: {} };

/** Where the store is: `.tinker/credentials.json` in the user's home folder. */
export function credentialStorePath(home: string): string {
  return join(home, ".tinker", "credentials.json");
}

/**
 * The store in a user's home folder; an empty one where there is none. A `default` that names no key is none.
 *
 * @throws CredentialError for a store that cannot be read; its message names the file and holds nothing of it
 */
export async function readCredentialStore(home: string): Promise<CredentialStore> {
  const path = credentialStorePath(home);
  const fail = (why: string): never => {
    throw new CredentialError(`${path} ${why}; log in again, or set TINKER_API_KEY`);
  };
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (error) {
    return errorCode(error) === "ENOENT" ? EMPTY : fail(`cannot be read (${errorCode(error)})`);
  }
  let store: unknown;
  try {
    store = JSON.parse(content);
  } catch {
    // The parser's message would quote the file, and the key with it.
    return fail("is not JSON");
  }
  if (field(store, "version") !== VERSION) return fail(`is not of version ${VERSION}`);
  const entries = field(store, "keys") ?? {};
  if (typeof entries !== "object") return fail("has no keys");
  const keys: [string, StoredKey][] = [];
  for (const [id, record] of Object.entries(entries)) {
    if (!isStoredKey(record)) return fail(`holds a key (id ${JSON.stringify(id)}) that is none`);
    keys.push([id, record]);
  }
  const chosen = field(store, "default");
  const isThere = typeof chosen === "string" && keys.some(([id]) => id === chosen);
  return { version: VERSION, ...(isThere ? { default: chosen } : {}), keys: Object.fromEntries(keys) };
}

/**
 * Adds a key to the store, or replaces the one of that id, and makes it the one that is used.
 *
 * @param id - the key's number at the service, as text
 * @throws ValidationError for a key that is none; CredentialError when the store cannot be read or written
 */
export async function storeKey(home: string, id: string, key: StoredKey): Promise<void> {
  if (!/^\d+$/.test(id)) {
    throw new ValidationError(`the id of a key is a number, not ${JSON.stringify(id)}`, { path: ["id"] });
  }
  if (!isStoredKey(key)) {
    throw new ValidationError("a key to store has a type (manual or generated), a key and a name", {
      path: ["key"],
    });
  }
  const { keys } = await readCredentialStore(home);
  await writeCredentialStore(home, { version: VERSION, default: id, keys: { ...keys, [id]: key } });
}

/**
 * Takes a key out of the store. If it was the one used, none is from then on.
 *
 * @returns the key that was there
 * @throws CredentialError when the store cannot be read or written
 */
export async function removeStoredKey(home: string, id: string): Promise<StoredKey | undefined> {
  const store = await readCredentialStore(home);
  if (!Object.hasOwn(store.keys, id)) return undefined;
  const { [id]: removed, ...keys } = store.keys;
  const chosen = store.default === id ? undefined : store.default;
  await writeCredentialStore(home, { version: VERSION, default: chosen, keys });
  return removed;
}

/**
 * Replaces the store in one step, readable by its owner alone: whoever reads meanwhile sees the old one or the new one. Of
 * two writers the last one wins.
 */
async function writeCredentialStore(home: string, store: CredentialStore): Promise<void> {
  const path = credentialStorePath(home);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await makeFolder(join(home, ".tinker"));
    const file = await open(temporary, "wx", FILE_MODE);
    try {
      await file.chmod(FILE_MODE);
      await file.writeFile(`${JSON.stringify(store, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new CredentialError(`${path} cannot be written (${errorCode(error)})`, error);
  }
}

/** The mode of a folder that is there already is its owner's affair. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return;
  }
  const folder = await open(path);
  try {
    // The umask may have taken bits away from the mode that was asked for.
    await folder.chmod(FOLDER_MODE);
  } finally {
    await folder.close();
  }
}

function isStoredKey(record: unknown): record is StoredKey {
  const type = field(record, "type");
  const key = field(record, "key");
  if (typeof key !== "string" || key === "" || typeof field(record, "name") !== "string") return false;
  if (type === "generated") return field(record, "details") !== undefined;
  return type === "manual";
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}
