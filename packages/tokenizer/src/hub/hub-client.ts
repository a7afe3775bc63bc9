import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Clock, ConnectionError, ResponseError } from "@tinkex/types";
import { hubStatusError } from "./hub-status-error.js";

/** One file of a repository at a revision. */
export interface HubFile {
  readonly id: string;
  readonly revision: string;
  readonly name: string;
}

/** What the hub says of a file. */
export interface HubFileInfo {
  /** The commit that the revision stands for. */
  readonly commit: string;
  /** Names the content; undefined when the commit has no such file. */
  readonly etag: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** What a {@link HubClient} is made of. */
export interface HubClientOptions {
  readonly endpoint: string;
  readonly token: () => Promise<string | undefined>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

const INFO_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;
const RETRY_DELAYS_MS = [500, 2_000];
const MOST_REDIRECTS = 5;

/** The two requests that loading a file from the Hugging Face hub takes. */
export class HubClient {
  readonly #options: HubClientOptions;

  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  /**
   * Asks for a file's commit and ETag.
   * @throws ApiStatusError when the hub refuses, ConnectionError when it cannot be reached.
   */
  async info(file: HubFile, signal?: AbortSignal): Promise<HubFileInfo> {
    const response = await this.#send(file, "HEAD", signal);
    const header = (name: string) => response.headers.get(name) ?? undefined;
    const commit = header("x-repo-commit");
    const isMissing = response.status === 404 && header("x-error-code") === "EntryNotFound";
    if (response.status >= 400 && !isMissing) throw hubStatusError(file, response, this.#options.endpoint);
    if (commit === undefined || !/^[0-9a-f]{40}$/.test(commit)) {
      throw new ResponseError(
        `${this.#options.endpoint} does not answer like a Hugging Face hub (no X-Repo-Commit header). Check HF_ENDPOINT.`,
      );
    }
    if (isMissing) return { commit, etag: undefined, sizeBytes: undefined };
    // Large files are stored elsewhere; then these name their content and the plain ones the redirection.
    const etag = (header("x-linked-etag") ?? header("etag"))?.replace(/^W\//, "").replaceAll('"', "");
    if (etag === undefined || !/^[\w-]+$/.test(etag)) {
      throw new ResponseError(`${this.#options.endpoint} gave ${file.name} of ${file.id} no usable ETag.`);
    }
    const size = header("x-linked-size") ?? (response.status < 300 ? header("content-length") : undefined);
    return { commit, etag, sizeBytes: size === undefined ? undefined : Number(size) };
  }

  /**
   * Downloads a file to `path` and checks its size, and its content where the ETag is a SHA-256.
   * @throws ResponseError when what came is not the whole file.
   */
  async download(file: HubFile, info: HubFileInfo, path: string, signal?: AbortSignal): Promise<void> {
    const response = await this.#send(file, "GET", signal);
    if (!response.ok || response.body === null) throw hubStatusError(file, response, this.#options.endpoint);
    const hash = createHash("sha256");
    let sizeBytes = 0;
    const measure = new Transform({
      transform(chunk: Uint8Array, _encoding, done) {
        hash.update(chunk);
        sizeBytes += chunk.byteLength;
        done(null, chunk);
      },
    });
    try {
      await pipeline(Readable.fromWeb(response.body), measure, createWriteStream(path));
    } catch (cause) {
      signal?.throwIfAborted();
      throw this.#unreachable(file, 1, cause);
    }
    const hasHash = info.etag !== undefined && /^[0-9a-f]{64}$/.test(info.etag);
    if (
      (info.sizeBytes !== undefined && sizeBytes !== info.sizeBytes) ||
      (hasHash && hash.digest("hex") !== info.etag)
    ) {
      throw new ResponseError(
        `${file.name} of ${file.id} arrived damaged: ${sizeBytes} of ${info.sizeBytes ?? "an unknown number of"} bytes. Try again.`,
      );
    }
  }

  /** Sends a request, again when the hub is busy or out of reach. */
  async #send(file: HubFile, method: "HEAD" | "GET", signal: AbortSignal | undefined): Promise<Response> {
    const { endpoint, clock } = this.#options;
    const path = [file.id, "resolve", encodeURIComponent(file.revision), file.name].join("/");
    for (let attempt = 0; ; attempt++) {
      signal?.throwIfAborted();
      const delayMs = RETRY_DELAYS_MS[attempt];
      try {
        const response = await this.#request(new URL(`${endpoint}/${path}`), method, signal);
        const isBusy = response.status === 429 || response.status >= 500;
        if (!isBusy || delayMs === undefined) return response;
        await response.body?.cancel();
      } catch (cause) {
        signal?.throwIfAborted();
        if (delayMs === undefined) throw this.#unreachable(file, attempt + 1, cause);
      }
      await clock.sleep(delayMs, signal);
    }
  }

  async #request(url: URL, method: "HEAD" | "GET", signal: AbortSignal | undefined): Promise<Response> {
    const token = await this.#options.token();
    const timeout = AbortSignal.timeout(method === "HEAD" ? INFO_TIMEOUT_MS : DOWNLOAD_TIMEOUT_MS);
    const init = {
      method,
      // Only a GET is followed to where large files lie: what they are is said by the hub's own answer.
      redirect: method === "HEAD" ? "manual" : "follow",
      // The size in the answer must be that of the file; and fetch itself keeps the token from other hosts.
      headers: {
        "accept-encoding": "identity",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    } as const;
    let target = url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#options.fetch(target, init);
      const location = response.headers.get("location");
      const isRedirection = response.status >= 300 && response.status < 400 && location !== null;
      // Within the hub a redirection is a renamed repository; one to elsewhere is where a large file lies.
      const next = isRedirection ? new URL(location, target) : target;
      if (!isRedirection || next.origin !== url.origin || redirects === MOST_REDIRECTS) return response;
      target = next;
    }
  }

  #unreachable(file: HubFile, attempts: number, cause: unknown): ConnectionError {
    return new ConnectionError(
      `Cannot get ${file.name} of ${file.id} from ${this.#options.endpoint}. Check the network, or set HF_HUB_OFFLINE=1 to use what was downloaded before.`,
      { attempts, cause },
    );
  }
}
