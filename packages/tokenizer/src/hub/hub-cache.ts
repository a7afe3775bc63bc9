import {
  copyFile,
  mkdtemp,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { TinkexError, ValidationError } from "@tinkex/base";
import { makeFolders } from "@tinkex/base/node";
import { readFileIfThere } from "../files/read-file-if-there.js";
import { DamagedFileError, isSound } from "./damaged-file.js";
import { removeAbandoned, unfinishedPrefix } from "./remove-abandoned.js";

/**
 * The folder in which Python's `huggingface_hub` keeps what it downloaded, in its own layout, so that nothing is downloaded twice:
 * `models--org--name/` with `blobs/<etag>` (files, or links to what repositories share), `snapshots/<commit>/<file>` (links to blobs),
 * `refs/<revision>` (commits) and `.no_exist/<commit>/<file>` (files known to be missing). All writes are atomic. Files and folders
 * have the modes that the process gives by itself, as Python's have: the cache is often shared among users, and holds what the hub
 * gave and no token.
 *
 * What lies in it is not trusted to lead anywhere: a ref counts only as a commit, and no link is followed out of it.
 */
export class HubCache {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The commit that a branch or tag stood for when it was last looked up; a commit stands for itself. */
  async commit(id: string, revision: string): Promise<string | undefined> {
    if (isCommit(revision)) return revision;
    const noted = (await this.#read(id, "refs", revision))?.trim();
    return noted !== undefined && isCommit(noted) ? noted : undefined;
  }

  /** Notes what a branch or tag stands for, where the cache can be written. */
  async rememberCommit(id: string, revision: string, commit: string): Promise<void> {
    if (isCommit(revision) || (await this.commit(id, revision)) === commit) return;
    await this.#note(id, ["refs", revision], commit);
  }

  /**
   * The text of a file as of a commit, checked by the hash that its blob is named for, or at least for being JSON.
   * @throws ValidationError when a link in the cache leads out of it; a DamagedFileError when it is not what was downloaded.
   */
  async read(id: string, commit: string, name: string): Promise<string | undefined> {
    const text = await this.#read(id, "snapshots", commit, name);
    if (text === undefined) return undefined;
    const path = this.#path(id, "snapshots", commit, name);
    // The blob of the repository, which may be a link to one that repositories share and that is named otherwise; a copy is none.
    const blob = await readlink(path).catch(() => path);
    if (isSound(text, basename(blob), name)) return text;
    throw new DamagedFileError(path);
  }

  /** The text of a file as {@link read} gives it; a damaged one counts as missing. */
  async readSound(id: string, commit: string, name: string): Promise<string | undefined> {
    return this.read(id, commit, name).catch((error: unknown) => {
      if (error instanceof DamagedFileError) return undefined;
      throw error;
    });
  }

  /** Tells whether the repository is known not to have a file at a commit. */
  async isMissing(id: string, commit: string, name: string): Promise<boolean> {
    return exists(this.#path(id, ".no_exist", commit, name));
  }

  /** Notes that a commit has no such file, where the cache can be written. */
  async rememberMissing(id: string, commit: string, name: string): Promise<void> {
    if (await this.isMissing(id, commit, name)) return;
    await this.#note(id, [".no_exist", commit, name], "");
  }

  /** Tells whether a blob is there, and is what it is named for. */
  async hasBlob(id: string, etag: string): Promise<boolean> {
    const text = await this.#read(id, "blobs", etag);
    return text !== undefined && isSound(text, etag, "");
  }

  /** The text of a blob, before it is a file of a snapshot. @throws DamagedFileError as {@link read} does */
  async readBlob(id: string, etag: string, name: string): Promise<string | undefined> {
    const text = await this.#read(id, "blobs", etag);
    if (text === undefined || isSound(text, etag, name)) return text;
    throw new DamagedFileError(this.#path(id, "blobs", etag));
  }

  /**
   * Adds a blob that `fill` writes to the path it is given. When that fails nothing is left; what a killed process could not
   * remove, a later call does.
   */
  async addBlob(id: string, etag: string, fill: (path: string) => Promise<void>): Promise<void> {
    await this.#replace(id, ["blobs", etag], async (path) => {
      await removeAbandoned(this.#path(id), dirname(path));
      await fill(path);
    });
  }

  /** Makes a blob a file of a commit's snapshot, where it is not there and sound. */
  async link(id: string, commit: string, name: string, etag: string): Promise<void> {
    const file = this.#path(id, "snapshots", commit, name);
    if ((await this.readSound(id, commit, name)) !== undefined) return;
    const blob = this.#path(id, "blobs", etag);
    await this.#replace(id, ["snapshots", commit, name], async (path) => {
      try {
        await symlink(relative(dirname(file), blob), path);
      } catch {
        // Windows without the right to make links.
        await copyFile(blob, path);
      }
    });
  }

  /**
   * The file whose presence says that someone downloads a blob.
   * @throws ValidationError when a link in the cache leads out of it.
   */
  async lockPath(id: string, etag: string): Promise<string> {
    // Not Python's own lock file beside it, which is locked by the system and stays.
    const path = join(this.directory, ".locks", folderOf(id), `${etag}.tinkex.lock`);
    await this.#checkInside(dirname(path));
    return path;
  }

  /**
   * Does work that writes to the cache.
   * @throws ValidationError naming the cache when the file system refuses; other errors as they are.
   */
  async writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if (!isFileSystemError(cause)) throw cause;
      throw new ValidationError(
        `cannot write to the cache ${this.directory}: ${cause.message}; set HF_HUB_CACHE to a directory that can be written`,
        { cause },
      );
    }
  }

  /** Writes what spares a request the next time. A cache that cannot be written, or is full, serves without it. */
  async #note(id: string, parts: readonly string[], text: string): Promise<void> {
    try {
      await this.#replace(id, parts, (path) => writeFile(path, text));
    } catch (error) {
      if (!isFileSystemError(error)) throw error;
    }
  }

  /** Writes a file elsewhere in the repository's folder, where no reader looks, and moves it to its place. */
  async #replace(
    id: string,
    parts: readonly string[],
    fill: (temporary: string) => Promise<void>,
  ): Promise<void> {
    const path = this.#path(id, ...parts);
    await this.#checkInside(dirname(path));
    await this.#checkInside(this.#path(id));
    await makeFolders(dirname(path));
    const folder = await mkdtemp(this.#path(id, unfinishedPrefix()));
    try {
      const temporary = join(folder, basename(path));
      await fill(temporary);
      await rename(temporary, path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #read(id: string, ...parts: readonly string[]): Promise<string | undefined> {
    const path = this.#path(id, ...parts);
    await this.#checkInside(path);
    return readFileIfThere(path);
  }

  /** Follows the links of a path, or of as much of it as is there, and refuses those that leave the cache. */
  async #checkInside(path: string): Promise<void> {
    const root = await realPathIfThere(this.directory);
    if (root === undefined) return; // Nothing is there, so no link.
    const top = resolve(this.directory);
    for (let at = resolve(path); at.length > top.length; at = dirname(at)) {
      const real = await realPathIfThere(at);
      if (real === undefined) continue;
      if (real.startsWith(root.endsWith(sep) ? root : root + sep)) return;
      throw new ValidationError(
        `${at} must lie in the cache ${this.directory}, got a link to another place; remove it, or set HF_HUB_CACHE to another directory`,
      );
    }
  }

  #path(id: string, ...parts: readonly string[]): string {
    return join(this.directory, folderOf(id), ...parts);
  }
}

/** Tells whether a revision is a commit, which never changes, rather than a branch or tag. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

function folderOf(id: string): string {
  return `models--${id.replaceAll("/", "--")}`;
}

function isFileSystemError(error: unknown): error is Error {
  return error instanceof Error && !TinkexError.isInstance(error) && "errno" in error && "syscall" in error;
}

async function realPathIfThere(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
