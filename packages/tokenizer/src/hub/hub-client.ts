import { BACKOFFS, backoffMs, type Clock, ConnectionError, onAbort, ResponseError } from "@tinkex/base";
import { gitBlobSha1 } from "./git-blob-sha1.js";
import { hubStatusError } from "./hub-status-error.js";
import { NetworkFailure, requestFile } from "./request-file.js";
import { saveBody } from "./save-body.js";

/** One file of a repository at a revision. */
export interface HubFile {
  readonly id: string;
  readonly revision: string;
  readonly name: string;
}

/** Facts that the hub tells of a file. */
export interface HubFileInfo {
  /** The commit that the revision stands for. */
  readonly commit: string;
  /** Names the content; undefined when the commit has no such file. */
  readonly etag: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** Parts of a {@link HubClient}. */
export interface HubClientOptions {
  readonly endpoint: string;
  readonly token: () => Promise<string | undefined>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

const INFO_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;
const MAX_RETRIES = 2;
/** Far above any tokenizer's file (the largest known have 40 MB), so that no server fills the disk. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;

/** The two requests that loading a file from the Hugging Face hub takes. */
export class HubClient {
  readonly #options: HubClientOptions;

  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  /**
   * Asks for a file's commit and ETag.
   * @throws ApiStatusError when the hub refuses, ConnectionError when it cannot be reached,
   * ResponseError when it does not answer like a hub.
   */
  async info(file: HubFile, signal?: AbortSignal): Promise<HubFileInfo> {
    return this.#send(file, "HEAD", signal, async (response, attempts) =>
      this.#readInfo(file, response, attempts),
    );
  }

  #readInfo(file: HubFile, response: Response, attempts: number): HubFileInfo {
    const header = (name: string) => response.headers.get(name) ?? undefined;
    const commit = header("x-repo-commit");
    const isMissing = response.status === 404 && header("x-error-code") === "EntryNotFound";
    if (response.status >= 400 && !isMissing) {
      throw hubStatusError(file, response, this.#options.endpoint, attempts);
    }
    if (commit === undefined || !/^[0-9a-f]{40}$/.test(commit)) {
      throw new ResponseError(
        `${this.#options.endpoint} does not answer like a Hugging Face hub (no X-Repo-Commit header); check HF_ENDPOINT`,
      );
    }
    if (isMissing) return { commit, etag: undefined, sizeBytes: undefined };
    // Large files are stored elsewhere; then these name their content and the plain ones the redirection.
    const etag = (header("x-linked-etag") ?? header("etag"))?.replace(/^W\//, "").replaceAll('"', "");
    if (etag === undefined || !/^[\w-]+$/.test(etag)) {
      throw new ResponseError(`${this.#options.endpoint} gave ${file.name} of ${file.id} no usable ETag`);
    }
    const size = header("x-linked-size") ?? (response.status < 300 ? header("content-length") : undefined);
    return { commit, etag, sizeBytes: size === undefined ? undefined : this.#readSize(file, size) };
  }

  #readSize(file: HubFile, size: string): number {
    const sizeBytes = /^\d{1,15}$/.test(size) ? Number(size) : Number.POSITIVE_INFINITY;
    if (sizeBytes <= MAX_FILE_BYTES) return sizeBytes;
    throw new ResponseError(
      `the size of ${file.name} of ${file.id} on ${this.#options.endpoint} must be a number up to ${MAX_FILE_BYTES} bytes, got another; check HF_ENDPOINT`,
    );
  }

  /**
   * Downloads a file to `path`, at most as many bytes as the hub declared, and checks its size, and its content by the
   * ETag: large files have their SHA-256 there, small ones what git calls them (64 and 40 digits).
   * @throws ResponseError when what came is not the whole file, and what {@link info} throws; errors of the file system
   * as they are.
   */
  async download(file: HubFile, info: HubFileInfo, path: string, signal?: AbortSignal): Promise<void> {
    const maxBytes = info.sizeBytes ?? MAX_FILE_BYTES;
    const { sizeBytes, sha256 } = await this.#send(file, "GET", signal, async (response, attempts) => {
      // A part, which nobody asked for, would pass for the whole where neither size nor hash is declared.
      const isWhole = response.ok && response.status !== 206;
      if (isWhole && response.body !== null) return saveBody(response.body, path, maxBytes);
      throw hubStatusError(file, response, this.#options.endpoint, attempts);
    });
    const { etag = "" } = info;
    const found = isSha256(etag) ? sha256 : isSha1(etag) ? await gitBlobSha1(path, sizeBytes) : etag;
    if (found !== etag || sizeBytes !== (info.sizeBytes ?? sizeBytes)) {
      throw new ResponseError(
        `${file.name} of ${file.id} arrived damaged: ${sizeBytes} of ${info.sizeBytes ?? "an unknown number of"} bytes${found === etag ? "" : ", whose hash is not the one declared"}; try again`,
      );
    }
  }

  /** Sends a request and takes in the answer, again when the hub is busy, out of reach or breaks off. */
  async #send<T>(
    file: HubFile,
    method: "HEAD" | "GET",
    signal: AbortSignal | undefined,
    takeIn: (response: Response, attempts: number) => Promise<T>,
  ): Promise<T> {
    const { endpoint, clock, fetch, token } = this.#options;
    const url = new URL(
      `${endpoint}/${[file.id, "resolve", encodeURIComponent(file.revision), file.name].join("/")}`,
    );
    const maxMs = method === "HEAD" ? INFO_TIMEOUT_MS : DOWNLOAD_TIMEOUT_MS;
    for (let attempts = 1; ; attempts += 1) {
      signal?.throwIfAborted();
      const isLast = attempts > MAX_RETRIES;
      try {
        const taken = await this.#within(maxMs, signal, async (over) => {
          const response = await requestFile({ url, method, token: await token(), fetch, signal: over });
          const isBusy = response.status === 429 || response.status >= 500;
          if (!isBusy || isLast) return { value: await takeIn(response, attempts) };
          await response.body?.cancel();
          return undefined;
        });
        if (taken !== undefined) return taken.value;
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof NetworkFailure)) throw error;
        if (isLast) throw this.#unreachable(file, attempts, error.cause);
      }
      await clock.sleep(backoffMs(BACKOFFS.hub, attempts - 1, Math.random), signal);
    }
  }

  /**
   * Runs a request under a signal that aborts with the caller's, and after `maxMs`. Ends when the request has: a file must be
   * closed before the next one is written. Leaves no timer and no listener behind.
   */
  async #within<T>(
    maxMs: number,
    signal: AbortSignal | undefined,
    request: (over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const over = new AbortController();
    const leave = signal && onAbort(signal, (reason) => over.abort(reason));
    this.#options.clock.sleep(maxMs, over.signal, { background: true }).then(
      () => over.abort(new Error(`no end within ${maxMs} ms`)),
      // The request has ended before.
      () => {},
    );
    try {
      return await request(over.signal);
    } finally {
      leave?.();
      over.abort();
    }
  }

  #unreachable(file: HubFile, attempts: number, cause: unknown): ConnectionError {
    return new ConnectionError(
      `cannot get ${file.name} of ${file.id} from ${this.#options.endpoint}; check the network, or set HF_HUB_OFFLINE=1 to use what was downloaded before`,
      { attempts, cause },
    );
  }
}

function isSha256(etag: string): boolean {
  return /^[0-9a-f]{64}$/.test(etag);
}

function isSha1(etag: string): boolean {
  return /^[0-9a-f]{40}$/.test(etag);
}
