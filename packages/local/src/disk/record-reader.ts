import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { type Logger, visibleText } from "@tinkex/base";
import type * as z from "zod";
import { isFileError } from "../files/is-file-error.js";
import { readSmallFile } from "../files/read-small-file.js";
import { MAX_RECORD_BYTES } from "./record-text.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads what lies in a data directory, which anybody may have changed. Folders and files count only as themselves, never
 * through a symbolic link. A record counts only when it has the form of its schema and names the place where it lies; one
 * that does not is passed over, with one warning for as long as this reader lives.
 */
export class RecordReader {
  readonly #root: string;
  readonly #logger: Logger;
  readonly #warned = new Set<string>();

  /** @param root - the data directory; it may be reached through links itself */
  constructor(root: string, logger: Logger) {
    this.#root = root;
    this.#logger = logger;
  }

  /** Names of the folders in `directory`, a folder of the data directory; none when it is not there. */
  async foldersIn(directory: string): Promise<string[]> {
    if (!(await this.hasFolder(directory))) return [];
    const entries = await tolerant(() => readdir(directory, { withFileTypes: true }));
    if (entries === "unreadable") this.warn(directory, "cannot be read");
    if (entries === undefined || entries === "unreadable") return [];
    for (const entry of entries) {
      if (entry.isSymbolicLink()) this.warn(join(directory, entry.name), "is a symbolic link");
    }
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }

  /** Looks for a folder below the root to which no symbolic link leads. */
  async hasFolder(path: string): Promise<boolean> {
    let place = this.#root;
    for (const name of relative(this.#root, path).split(sep)) {
      place = join(place, name);
      const found = await tolerant(() => lstat(place));
      if (found === undefined || found === "unreadable") return false;
      if (found.isSymbolicLink()) this.warn(place, "is a symbolic link");
      if (!found.isDirectory()) return false;
    }
    return true;
  }

  /**
   * The record in `file`.
   *
   * @param place - fields that must have just these values, since the path says so
   */
  async read<T extends Fields>(file: string, schema: z.ZodType<T>, place: Fields): Promise<T | undefined> {
    const found = await readSmallFile(file, MAX_RECORD_BYTES);
    if (found === undefined) return undefined;
    if ("fault" in found) return this.warn(file, found.fault);
    const parsed = schema.safeParse(parseJson(found.text));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return this.warn(file, `has no valid record: "${issue?.path.join(".")}": ${issue?.code}`);
    }
    const record = parsed.data;
    const astray = Object.entries(place).find(([name, value]) => record[name] !== value);
    if (astray === undefined) return record;
    const [name, value] = astray;
    return this.warn(file, `is not of this place: ${name} must be "${value}", as the folder says`);
  }

  /** Tells once that something in the directory is not taken for what it seems to be. */
  warn(path: string, fault: string): undefined {
    if (this.#warned.has(path)) return;
    this.#warned.add(path);
    // The names of files and of fields may be anybody's text.
    this.#logger.warn(visibleText(`"${path}" ${fault}; it is passed over: correct it, or move it away`));
  }
}

/** `undefined` for text that is no JSON, which no schema of a record takes. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function tolerant<T>(look: () => Promise<T>): Promise<T | "unreadable" | undefined> {
  try {
    return await look();
  } catch (error) {
    if (isFileError(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
    if (isFileError(error, "EACCES", "EPERM", "ELOOP", "EIO")) return "unreadable";
    throw error;
  }
}
