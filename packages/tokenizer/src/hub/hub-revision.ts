import { type Clock, type Logger, TinkexError, ValidationError } from "@tinkex/base";
import { withFileLock } from "./file-lock.js";
import { type HubCache, isCommit } from "./hub-cache.js";
import type { HubClient, HubFileInfo } from "./hub-client.js";

/** Parts of a {@link HubRevision}. */
export interface HubRevisionOptions {
  readonly cache: HubCache;
  readonly client: HubClient;
  readonly offline: boolean;
  readonly clock: Clock;
  readonly logger: Pick<Logger, "warn"> | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The files of one repository at one revision, through the cache. The first file read settles which commit the
 * revision stands for, so that all files belong together; it also settles whether the hub is to be asked at all.
 */
export class HubRevision {
  readonly #id: string;
  readonly #options: HubRevisionOptions;
  #revision: string;
  #isOffline: boolean;
  #isSettled = false;
  #hasFile = false;
  /** Writes by which later calls find the files, for the end of the load. */
  readonly #lastWrites: (() => Promise<void>)[] = [];

  constructor(id: string, revision: string, options: HubRevisionOptions) {
    this.#id = id;
    this.#revision = revision;
    this.#options = options;
    this.#isOffline = options.offline;
  }

  /**
   * The text of a file, or undefined when the commit has none of that name.
   * @throws ValidationError when the hub may not be asked and the first file read is not in the cache, or when the cache
   * cannot be written; and what the client throws.
   */
  async read(name: string): Promise<string | undefined> {
    const text = await this.#find(name);
    this.#isSettled = true;
    return text;
  }

  /** The text of a file that a model does without where the hub cannot be reached, which is a warning then. Else as {@link read}. */
  async readWhereReached(name: string): Promise<string | undefined> {
    try {
      return await this.read(name);
    } catch (error) {
      if (!TinkexError.isInstance(error) || !error.retryable) throw error;
      if (!this.#isOffline)
        this.#options.logger?.warn(`the hub cannot be reached; using ${this.#id} without ${name}`);
      this.#isOffline = true;
      return undefined;
    }
  }

  /**
   * Lets later calls find the files, when all that are wanted have been read. A load that breaks off has kept what it downloaded, but
   * not its first file's place in the snapshot, nor what the revision stands for: with them half a tokenizer could be found offline.
   * @throws ValidationError when the cache cannot be written
   */
  async complete(): Promise<void> {
    for (const write of this.#lastWrites.splice(0)) await write();
  }

  async #find(name: string): Promise<string | undefined> {
    const { cache } = this.#options;
    const known = await cache.commit(this.#id, this.#revision);
    if (known === undefined) {
      if (this.#isOffline) throw this.#notCached(name);
    } else if (this.#isOffline || isCommit(this.#revision)) {
      // Out of reach of the hub, a damaged file is an error; else it is fetched again below.
      const text = this.#isOffline
        ? await cache.read(this.#id, known, name)
        : await cache.readSound(this.#id, known, name);
      if (text !== undefined || (await cache.isMissing(this.#id, known, name))) return text;
      // Of the files after the first, the cache need not know that they are missing.
      if (this.#isOffline && this.#isSettled) return undefined;
      if (this.#isOffline) throw this.#notCached(name);
    }
    try {
      return await this.#fetch(name);
    } catch (error) {
      if (known === undefined || !TinkexError.isInstance(error) || !error.retryable) throw error;
      const text = await cache.read(this.#id, known, name);
      if (text === undefined) throw error;
      this.#options.logger?.warn(`the hub cannot be reached; using ${this.#id} as it was downloaded before`, {
        commit: known,
      });
      this.#revision = known;
      this.#isOffline = true;
      return text;
    }
  }

  /** The text of a file as the hub has it now, by way of the cache; settles the commit. */
  async #fetch(name: string): Promise<string | undefined> {
    const { cache, client, signal } = this.#options;
    const id = this.#id;
    const revision = this.#revision;
    const info = await client.info({ id, revision, name }, signal);
    const { commit, etag } = info;
    if (etag === undefined) await cache.rememberMissing(id, commit, name);
    const text = etag === undefined ? undefined : await this.#download(name, { ...info, etag });
    if (!isCommit(revision)) this.#lastWrites.push(() => cache.rememberCommit(id, revision, commit));
    this.#revision = commit;
    return text;
  }

  /** The text of a file that is there, downloaded where the cache does not have it. */
  async #download(name: string, info: HubFileInfo & { readonly etag: string }): Promise<string | undefined> {
    const { cache, client, clock, signal } = this.#options;
    const id = this.#id;
    const { commit, etag } = info;
    const isFirst = !this.#hasFile;
    this.#hasFile = true;
    const known = await cache.readSound(id, commit, name);
    if (known !== undefined) return known;
    const lock = await cache.lockPath(id, etag);
    const download = async () => {
      // Another process may have done it while this one waited for the lock.
      if (await cache.hasBlob(id, etag)) return;
      await cache.addBlob(id, etag, (path) =>
        client.download({ id, revision: commit, name }, info, path, signal),
      );
    };
    const link = () => cache.writing(() => cache.link(id, commit, name, etag));
    await cache.writing(() => withFileLock(lock, download, { clock, signal }));
    if (!isFirst) {
      await link();
      return cache.read(id, commit, name);
    }
    this.#lastWrites.unshift(link);
    return cache.readBlob(id, etag, name);
  }

  #notCached(name: string): ValidationError {
    return new ValidationError(
      `${name} of ${this.#id} at revision ${this.#revision} is not in the cache ${this.#options.cache.directory}, and the hub may not be asked (HF_HUB_OFFLINE); load it once with the network, or set HF_HUB_CACHE to a cache that has it`,
    );
  }
}
