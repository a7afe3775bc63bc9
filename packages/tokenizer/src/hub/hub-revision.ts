import { type Clock, type Logger, TinkexError, ValidationError } from "@tinkex/base";
import { withFileLock } from "./file-lock.js";
import { type HubCache, isCommit } from "./hub-cache.js";
import type { HubClient, HubFile } from "./hub-client.js";

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
      const commit = await this.#fetch(name);
      this.#revision = commit;
      return await cache.read(this.#id, commit, name);
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

  /** Sees to it that the cache holds a file, or knows it to be missing; gives the commit it belongs to. */
  async #fetch(name: string): Promise<string> {
    const { cache, client, clock, signal } = this.#options;
    const file: HubFile = { id: this.#id, revision: this.#revision, name };
    const info = await client.info(file, signal);
    const { commit, etag } = info;
    if (etag === undefined) {
      await cache.rememberMissing(file.id, commit, name);
    } else if ((await cache.readSound(file.id, commit, name)) === undefined) {
      const lock = await cache.lockPath(file.id, etag);
      const download = async () => {
        // Another process may have done it while this one waited for the lock.
        if (await cache.hasBlob(file.id, etag)) return;
        await cache.addBlob(file.id, etag, (path) =>
          client.download({ ...file, revision: commit }, info, path, signal),
        );
      };
      await cache.writing(async () => {
        await withFileLock(lock, download, { clock, signal });
        await cache.link(file.id, commit, name, etag);
      });
    }
    await cache.rememberCommit(file.id, file.revision, commit);
    return commit;
  }

  #notCached(name: string): ValidationError {
    return new ValidationError(
      `${name} of ${this.#id} at revision ${this.#revision} is not in the cache ${this.#options.cache.directory}, and the hub may not be asked (HF_HUB_OFFLINE); load it once with the network, or set HF_HUB_CACHE to a cache that has it`,
    );
  }
}
