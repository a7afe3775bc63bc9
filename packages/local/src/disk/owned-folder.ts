import { randomUUID } from "node:crypto";
import { lstat, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { renameDurably, syncFolder } from "../files/durable-names.js";
import { isThere } from "../files/is-there.js";
import { makePrivateDirectory } from "../files/make-private-directory.js";
import { writePrivateFile } from "../files/write-private-file.js";
import type { RecordReader } from "./record-reader.js";

/** File that a folder of a server bears, beside its name, as the mark by which a later server may remove it. */
const MARK_FILE = ".tinkex-temporary";
const MARK_TEXT =
  "A Tinkex server made this folder for a time. The next one on this data directory removes it.\n";

/** Name of such a folder, with the purpose where a later server must know it. */
const OWNED_NAME = /^tinkex-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:~(?<purpose>[a-z_]{1,40}))?$/;

/** A folder for things under way. Its name and the mark inside tell a later server that it may be removed. */
export class OwnedFolder {
  readonly path: string;
  /** Text given at its making. */
  readonly purpose: string | undefined;
  #making: Promise<void> | undefined;

  private constructor(path: string, purpose: string | undefined) {
    this.path = path;
    this.purpose = purpose;
  }

  /** Names a new folder in `parent`; it is there after {@link make}. @param purpose - letters and `_` */
  static named(parent: string, purpose?: string): OwnedFolder {
    const name = `tinkex-${randomUUID()}${purpose === undefined ? "" : `~${purpose}`}`;
    return new OwnedFolder(join(parent, name), purpose);
  }

  /** Folders in `parent` that bear the mark, or our name alone and hold nothing. */
  static async findIn(parent: string, reader: RecordReader): Promise<OwnedFolder[]> {
    const found: OwnedFolder[] = [];
    for (const name of await reader.foldersIn(parent)) {
      const match = OWNED_NAME.exec(name);
      if (match === null) continue;
      const folder = new OwnedFolder(join(parent, name), match.groups?.purpose);
      if ((await folder.#isMarked()) || (await folder.isEmpty())) found.push(folder);
    }
    return found;
  }

  /** @param root - the data directory. @throws TinkexError when a file or a link stands in the way */
  async make(root: string): Promise<void> {
    await makePrivateDirectory(root, this.path);
    try {
      await writePrivateFile(join(this.path, MARK_FILE), MARK_TEXT);
      // Before anything is moved into it: what a loss of power leaves without the mark is nobody's.
      await syncFolder(this.path);
    } catch (error) {
      await this.remove().catch(() => {});
      throw error;
    }
  }

  /**
   * Makes it of a folder that is there, whose `file` becomes its mark: a full disk has room for that. Its parent must be there. A process
   * that is killed between the two renames leaves a folder of our name without a mark, which stays.
   */
  async makeOf(folder: string, file: string): Promise<void> {
    await renameDurably(folder, this.path);
    await rename(join(this.path, file), join(this.path, MARK_FILE));
  }

  /** Makes it unless it was made before; a try that failed is none. @throws as {@link make} does */
  makeOnce(root: string): Promise<void> {
    this.#making ??= this.make(root).catch((error: unknown) => {
      this.#making = undefined;
      throw error;
    });
    return this.#making;
  }

  /** Removes it for good, where it was made by {@link makeOnce}, or is just being made. */
  async removeOnceMade(): Promise<void> {
    await this.#making?.catch(() => {});
    await this.remove();
  }

  /** Names in it beside its mark; none, should a link have come into its place. */
  async contents(): Promise<string[]> {
    if (!(await lstat(this.path)).isDirectory()) return [];
    return (await readdir(this.path)).filter((name) => name !== MARK_FILE);
  }

  async isEmpty(): Promise<boolean> {
    return (await this.contents()).length === 0;
  }

  /** Removes it with all it holds; the mark goes last, so that one who is interrupted leaves a marked folder. */
  async remove(): Promise<void> {
    if (!(await isThere(this.path))) return;
    for (const name of await this.contents())
      await rm(join(this.path, name), { recursive: true, force: true });
    await rm(this.path, { recursive: true, force: true });
  }

  /**
   * Moves it into another parent, where a later server removes it whatever it holds: to remove it is then no longer a change that may
   * be interrupted half-way.
   */
  async moveTo(root: string, parent: string): Promise<OwnedFolder> {
    const moved = new OwnedFolder(join(parent, basename(this.path)), this.purpose);
    await makePrivateDirectory(root, parent);
    await renameDurably(this.path, moved.path);
    return moved;
  }

  /** Removes it, unless something is still in it. */
  async removeIfEmpty(): Promise<void> {
    if (!(await isThere(this.path)) || !(await this.isEmpty())) return;
    await rm(join(this.path, MARK_FILE), { force: true });
    await rmdir(this.path);
  }

  async #isMarked(): Promise<boolean> {
    return lstat(join(this.path, MARK_FILE)).then(
      (found) => found.isFile(),
      () => false,
    );
  }
}
