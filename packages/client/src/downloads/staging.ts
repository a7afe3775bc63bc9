import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isProcessGone, processMark } from "@tinkex/base/node";

/** Characters of the directory's name in that of the folder, so that names as long as they may be have one too. */
const MAX_NAME_PART = 40;
const ENDING = ".partial";
/** The folders that calls of this process are filling now. */
const inUse = new Set<string>();

/**
 * Folder beside a directory in which a checkpoint grows until it is whole. Its name says which process fills it and for which
 * checkpoint; a call that comes later takes over that of a call that has failed or of a process that is gone, by renaming it, which
 * only one can do. Two calls at one time never share one.
 */
export class Staging {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Takes over the folder that was left for the same directory and checkpoint, or makes one. What was left for others goes. */
  static async open(directory: string, checkpoint: string): Promise<Staging> {
    const parent = dirname(directory);
    await mkdir(parent, { recursive: true });
    const name = `.${basename(directory).slice(0, MAX_NAME_PART)}.`;
    const key = createHash("sha256")
      .update(`${basename(directory)} ${checkpoint}`)
      .digest("hex")
      .slice(0, 16);
    const own = join(parent, `${name}${key}.${processMark()}.${randomUUID()}${ENDING}`);
    inUse.add(own);
    try {
      const left = await abandoned(parent, name);
      let isTaken = false;
      for (const path of left.filter((each) => basename(each).startsWith(`${name}${key}.`))) {
        isTaken = await rename(path, own).then(
          () => true,
          () => false,
        );
        if (isTaken) break;
      }
      if (!isTaken) await mkdir(own, { mode: 0o700 });
      await mkdir(join(own, "files"), { recursive: true, mode: 0o700 });
    } catch (error) {
      inUse.delete(own);
      throw error;
    }
    return new Staging(own);
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

/** Folders for one directory that nobody fills any more. */
async function abandoned(parent: string, beginning: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(parent)) {
    if (!name.startsWith(beginning) || !name.endsWith(ENDING)) continue;
    const [, mark = ""] = name.slice(beginning.length).split(".");
    const path = join(parent, name);
    const isLeft = mark === processMark() ? !inUse.has(path) : isProcessGone(mark);
    if (isLeft && (await isOwnFolder(path))) found.push(path);
  }
  return found;
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
