import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isProcessGone, makeFolders, processMark } from "@tinkex/base/node";

/** Characters of the directory's name in that of the folder, for who looks at it; names as long as they may be have room there. */
const MAX_NAME_PART = 40;
/** Stands where others name their checkpoint: nobody goes on with a folder that is being removed. */
const BEING_REMOVED = "removed";
const ENDING = ".partial";
/** The folders that calls of this process are filling now. */
const inUse = new Set<string>();

/**
 * Folder beside a directory in which a checkpoint grows until it is whole. Its name says which process fills it, for which directory
 * and for which checkpoint; a call that comes later takes over that of a call that has failed or of a process that is gone, by
 * renaming it, which only one can do. Two calls at one time never share one.
 */
export class Staging {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Takes over the folder that was left for the same directory and checkpoint, or makes one. */
  static async open(directory: string, checkpoint: string): Promise<Staging> {
    await makeFolders(dirname(directory));
    const key = keyOf(`${basename(directory)} ${checkpoint}`);
    const own = claim(directory, key);
    try {
      const left = (await abandoned(directory)).filter((each) => each.checkpoint === key);
      if (!(await takeOne(left, own))) await mkdir(own, { mode: 0o700 });
      await mkdir(join(own, "files"), { recursive: true, mode: 0o700 });
    } catch (error) {
      inUse.delete(own);
      throw error;
    }
    return new Staging(own);
  }

  /**
   * Removes what calls that were given up, and processes that were killed, left beside a directory that is done, of whatever
   * checkpoint. What cannot be removed stays.
   */
  static async removeAbandoned(directory: string): Promise<void> {
    for (const each of await abandoned(directory).catch(() => [])) {
      const own = claim(directory, BEING_REMOVED);
      try {
        if (await takeOne([each], own)) await rm(own, { recursive: true, force: true }).catch(() => {});
      } finally {
        inUse.delete(own);
      }
    }
  }

  /** Folder of the checkpoint's files, all of which are whole. */
  get files(): string {
    return join(this.#path, "files");
  }

  /** Path of something that is not the checkpoint's. */
  path(name: string): string {
    return join(this.#path, name);
  }

  /** Empties the folder of files. */
  async clearFiles(): Promise<void> {
    await rm(this.files, { recursive: true, force: true });
    await mkdir(this.files, { mode: 0o700 });
  }

  /** Gives the files their place in one step. @throws what the file system says when something is there */
  async finish(directory: string): Promise<void> {
    // Not every system renames a folder to the place of an empty one.
    await rmdir(directory).catch(ignoreMissing);
    await rename(this.files, directory);
    await this.discard();
    await Staging.removeAbandoned(directory);
  }

  /** Takes all of it away. */
  async discard(): Promise<void> {
    await rm(this.#path, { recursive: true, force: true });
  }

  /** Lets another call take over what is left. */
  release(): void {
    inUse.delete(this.#path);
  }
}

/** A folder that nobody fills any more. */
interface Abandoned {
  readonly path: string;
  /** Key of the checkpoint. */
  readonly checkpoint: string;
}

/** Names a new folder of this call, which is in use from now on. */
function claim(directory: string, checkpoint: string): string {
  // Half a character, where the name is cut in two, is stored as this one is.
  const shown = Buffer.from(basename(directory).slice(0, MAX_NAME_PART)).toString();
  const name = [shown, keyOf(basename(directory)), checkpoint, processMark(), randomUUID()].join(".");
  const own = join(dirname(directory), `.${name}${ENDING}`);
  inUse.add(own);
  return own;
}

/** Renames the first folder that is still there. Tells whether there was one. */
async function takeOne(left: readonly Abandoned[], own: string): Promise<boolean> {
  for (const { path } of left) {
    const isTaken = await rename(path, own).then(
      () => true,
      () => false,
    );
    if (isTaken) return true;
  }
  return false;
}

/** Finds the folders for one directory that nobody fills any more. */
async function abandoned(directory: string): Promise<Abandoned[]> {
  const found: Abandoned[] = [];
  for (const name of await readdir(dirname(directory))) {
    if (!name.startsWith(".") || !name.endsWith(ENDING)) continue;
    // The name of the directory may have dots of its own.
    const [key, checkpoint = "", mark = ""] = name.slice(0, -ENDING.length).split(".").slice(-4);
    if (key !== keyOf(basename(directory))) continue;
    const path = join(dirname(directory), name);
    const isLeft = mark === processMark() ? !inUse.has(path) : isProcessGone(mark);
    if (isLeft && (await isOwnFolder(path))) found.push({ path, checkpoint });
  }
  return found;
}

function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const { uid, ...found } = await lstat(path).then((stats) => ({
      uid: stats.uid,
      isFolder: stats.isDirectory(),
    }));
    return found.isFolder && uid === (process.getuid?.() ?? uid);
  } catch {
    return false;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
