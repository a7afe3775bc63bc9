import { constants } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { checkString, systemClock, ValidationError } from "@tinkex/base";
import { replaceFile } from "@tinkex/base/node";
import { errorCode } from "../errors/error-code.js";
import { CredentialError } from "./credential-error.js";
import { withCredentialLock } from "./credential-lock.js";

/** The store's layout that we know. */
const VERSION = 1;
const FOLDER_MODE = 0o700;
/** Bits of a mode that let others than the owner in. */
const OTHERS = 0o077;
/** Longest store that is read; one holds some hundred bytes a key. */
const MAX_BYTES = 1024 * 1024;

/** One key of the store. Field names are those of the file, which other clients of the service read and write too. */
export interface StoredKey {
  /** `manual`: pasted by the user; `generated`: made by an older command line. */
  readonly type: "manual" | "generated";
  /** The key itself: a secret. */
  readonly key: string;
  readonly name: string;
  readonly note?: string | undefined;
  /** Owner of the key; a `generated` one has it. */
  readonly details?:
    | {
        readonly org_details: { readonly name: string };
        readonly user_details: { readonly email: string };
      }
    | undefined;
}

/** Content of the store of `tinker auth login`: keys by their id at the service, and which one is used. */
export interface CredentialStore {
  readonly version: typeof VERSION;
  /** Id of the key that is used. */
  readonly default?: string | undefined;
  readonly keys: Readonly<Record<string, StoredKey>>;
}

const EMPTY: CredentialStore = { version: VERSION, keys: {} };

/** Path of the store: `.tinker/credentials.json` in the user's home folder. */
export function credentialStorePath(home: string): string {
  checkString(home, "home", "the folder of os.homedir()");
  return join(home, ".tinker", "credentials.json");
}

/**
 * The store in a user's home folder; an empty one where there is none. A `default` that names no key is none.
 *
 * @throws CredentialError for a store that cannot be read, or that others than its owner can read or write; its message names
 *   the file and holds nothing of it
 */
export async function readCredentialStore(home: string): Promise<CredentialStore> {
  const path = credentialStorePath(home);
  const fail = (why: string): never => {
    throw new CredentialError(`${path} ${why}; log in again, or set TINKER_API_KEY`);
  };
  const content = await readOwn(path, fail);
  if (content === undefined) return EMPTY;
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
    if (!isStoredKey(record)) return fail("holds a record that is no key");
    keys.push([id, record]);
  }
  const chosen = field(store, "default");
  const isThere = typeof chosen === "string" && keys.some(([id]) => id === chosen);
  return { version: VERSION, ...(isThere ? { default: chosen } : {}), keys: Object.fromEntries(keys) };
}

/**
 * Reads the key that `tinker auth login` has stored and made the one to use, or `undefined` when there is none.
 *
 * @param home - the user's home folder
 * @throws CredentialError for a store that cannot be read; its message names the file and holds nothing of it
 */
export async function readStoredKey(home: string): Promise<string | undefined> {
  const { default: chosen, keys } = await readCredentialStore(home);
  return chosen === undefined ? undefined : keys[chosen]?.key;
}

/**
 * Adds a key to the store, or replaces the one of that id, and makes it the one that is used. Of several at one time, in this
 * process or others, all keys stay, and the one stored last is used.
 *
 * @param id - the key's number at the service, as text
 * @throws ValidationError for a key that is none; CredentialError when the store cannot be read or written
 */
export async function storeKey(home: string, id: string, key: StoredKey): Promise<void> {
  if (typeof id !== "string" || !/^\d+$/.test(id)) {
    // It is not shown: it may be the key, given in the wrong place.
    throw new ValidationError('storeKey: id must be the number of the key at the service, such as "7"', {
      path: ["id"],
    });
  }
  if (!isStoredKey(key)) {
    throw new ValidationError("storeKey: key must have a type (manual or generated), a key and a name", {
      path: ["key"],
    });
  }
  await changeStore(home, ({ keys }) => ({ version: VERSION, default: id, keys: { ...keys, [id]: key } }));
}

/**
 * Takes a key out of the store. If it was the one used, none is from then on.
 *
 * @returns the key that was there
 * @throws CredentialError when the store cannot be read or written
 */
export async function removeStoredKey(home: string, id: string): Promise<StoredKey | undefined> {
  checkString(id, "removeStoredKey: id", "7");
  // Nothing is made where there is nothing to take out.
  if (!Object.hasOwn((await readCredentialStore(home)).keys, id)) return undefined;
  let removed: StoredKey | undefined;
  await changeStore(home, (store) => {
    const { [id]: taken, ...keys } = store.keys;
    removed = taken;
    return { version: VERSION, default: store.default === id ? undefined : store.default, keys };
  });
  return removed;
}

/**
 * Changes the store while no other writer does, and replaces it in one step, readable by its owner alone: whoever reads
 * meanwhile sees the old one or the new one.
 */
async function changeStore(home: string, change: (store: CredentialStore) => CredentialStore): Promise<void> {
  const path = credentialStorePath(home);
  try {
    await makeFolder(dirname(path));
    await withCredentialLock(`${path}.lock`, systemClock, async (isHeld) => {
      const store = change(await readCredentialStore(home));
      const write = async (file: FileHandle): Promise<void> => {
        await file.writeFile(`${JSON.stringify(store, null, 2)}\n`);
        if (!(await isHeld()))
          throw new CredentialError(`${path} was changed by another program meanwhile; try again`);
      };
      // A link here leads to a store that is kept elsewhere.
      await replaceFile(path, write, { keepsLink: true });
    });
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    throw new CredentialError(`${path} cannot be written (${errorCode(error)})`, error);
  }
}

/** The text of a file that is its owner's alone, or `undefined` when there is none. Looked at and read is one open file. */
async function readOwn(path: string, fail: (why: string) => never): Promise<string | undefined> {
  try {
    // A pipe that nobody writes to would be waited for.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return fail("is not a file");
      if (process.platform !== "win32" && (stat.mode & OTHERS) !== 0) {
        const mode = (stat.mode & 0o777).toString(8);
        return fail(
          `is open to others than its owner (mode ${mode}): run chmod 600 ${path}, or replace its keys`,
        );
      }
      if (stat.size > MAX_BYTES) return fail(`has more than ${MAX_BYTES} bytes`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CredentialError) throw error;
    return errorCode(error) === "ENOENT" ? undefined : fail(`cannot be read (${errorCode(error)})`);
  }
}

/** Makes the folder of the store. The mode of one that is there already stays as its owner set it. */
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
