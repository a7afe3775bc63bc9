import { type FileHandle, open, rename, rm } from "node:fs/promises";
import {
  type Clock,
  ResponseError,
  startTimer,
  systemClock,
  TinkexError,
  ValidationError,
} from "@tinkex/types/base";
import type { Dispatcher } from "undici";
import { networkError } from "../errors/network-error.js";
import { type CallFacts, statusError } from "../errors/status-error.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import { CallScope } from "../limits/call-scope.js";
import { backoffDelayMs } from "../retry/backoff-delay.js";
import { RETRY_POLICIES } from "../retry/retry-policy.js";
import { VERSION } from "../version.js";
import {
  checkPart,
  type DownloadState,
  freshState,
  noteWhole,
  rangeHeaders,
  receiveInto,
  startOver,
} from "./download-part.js";

/** Options of {@link downloadFile}. */
export interface DownloadOptions {
  /** Where the file lies, asked again when the place has expired. Signed addresses are secret: none is shown. */
  readonly url: () => string | Promise<string>;
  /** Where it goes. It appears there whole or not at all; until then it grows beside it as `<target>.partial`. */
  readonly target: string;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole download, in milliseconds. @defaultValue none */
  readonly timeoutMs?: number | undefined;
  /** Longest silence that is waited out, in milliseconds. @defaultValue 60000 */
  readonly silenceMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** How far a download is. */
export interface DownloadProgress {
  readonly receivedBytes: number;
  /** Absent when the server does not tell. */
  readonly totalBytes: number | undefined;
}

/** Most tries in a row that bring nothing, and most new addresses. */
const POLICY = { ...RETRY_POLICIES.counted, maxRetries: 5 };
const MOST_RENEWALS = 2;
const MOST_REDIRECTS = 5;
/** An address that has expired is answered with one of these. */
const EXPIRED = [403, 410];
/** Waiting may mend these, besides 5xx; 416 is mended by beginning anew. */
const PASSING = [408, 416, 429];

/**
 * Downloads a file without any credential of ours. A connection that breaks is taken up where it broke, an address that
 * has expired is asked for anew; length and MD5 are checked where the server tells them.
 *
 * @returns the number of bytes
 * @throws ApiStatusError, ConnectionError, TimeoutError, AbortedError, and ResponseError for a file that is not whole
 */
export async function downloadFile(options: DownloadOptions): Promise<number> {
  const clock = options.clock ?? systemClock;
  const scope = new CallScope("the download", clock, options);
  const partial = `${options.target}.partial`;
  try {
    const file = await open(partial, "w");
    let byteLength: number;
    try {
      byteLength = await receive(file, options, scope);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, options.target);
    return byteLength;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    scope.end();
  }
}

async function receive(file: FileHandle, options: DownloadOptions, scope: CallScope): Promise<number> {
  const random = options.random ?? Math.random;
  const state = freshState();
  let url = await scope.outlast(askUrl(options));
  let renewals = 0;
  let most = 0;
  let fruitless = 0;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await receiveOnce(file, url, state, options, scope);
    if (outcome === "whole") return state.receivedBytes;
    if (outcome.kind === "answer" && EXPIRED.includes(outcome.status) && renewals < MOST_RENEWALS) {
      renewals += 1;
      url = await scope.outlast(askUrl(options));
      continue;
    }
    // Only what has not come before is progress: a server that cannot resume may send the same half for ever.
    fruitless = state.receivedBytes > most ? 1 : fruitless + 1;
    most = Math.max(most, state.receivedBytes);
    if (state.version === undefined) await startOver(file, state);
    const delayMs = mayPass(outcome)
      ? backoffDelayMs({ policy: POLICY, retries: fruitless - 1, elapsedMs: 0, random })
      : undefined;
    if (delayMs === undefined) throw downloadError(outcome, url, attempts);
    await scope.sleep(delayMs);
  }
}

function mayPass(outcome: TryOutcome): boolean {
  if (outcome.kind !== "answer") return true;
  return outcome.status >= 500 || PASSING.includes(outcome.status);
}

function downloadError(outcome: TryOutcome, url: string, attempts: number): TinkexError {
  const { origin, pathname } = new URL(url);
  const facts: CallFacts = {
    operation: "the download",
    // Without its query, which may be a signature.
    baseUrl: origin + pathname,
    attempts,
    earlierTries: [],
    finalStatuses: [],
    secrets: [],
  };
  return outcome.kind === "answer" ? statusError(outcome, facts) : networkError(outcome, facts);
}

/** One request, for what is still missing. */
async function receiveOnce(
  file: FileHandle,
  url: string,
  state: DownloadState,
  options: DownloadOptions,
  scope: CallScope,
): Promise<TryOutcome | "whole"> {
  const silenceMs = options.silenceMs ?? 60_000;
  const controller = new AbortController();
  let silent = false;
  let stopTimer = (): void => {};
  const listen = (): void => {
    stopTimer();
    stopTimer = startTimer(silenceMs, () => {
      silent = true;
      controller.abort();
    });
  };
  const work = async (): Promise<TryOutcome | "whole"> => {
    listen();
    const { statusCode, headers, body } = await requestFollowing(url, rangeHeaders(state), controller.signal);
    const resumed = statusCode === 206 && state.receivedBytes > 0;
    if (statusCode !== 200 && !resumed) {
      // 416: what we have is longer than what is there now.
      if (statusCode === 416) await startOver(file, state);
      return { kind: "answer", status: statusCode, headers: {}, body: await body.bytes() };
    }
    if (resumed) {
      checkPart(headers, state);
    } else {
      await startOver(file, state);
      noteWhole(headers, state);
    }
    await receiveInto(file, body, state, () => {
      listen();
      options.onProgress?.({ receivedBytes: state.receivedBytes, totalBytes: state.totalBytes });
    });
    return checkWhole(state);
  };
  try {
    return await scope.during(({ resolve, reject }) => {
      work().then(resolve, (cause: unknown) => {
        if (TinkexError.isInstance(cause)) reject(cause);
        else if (silent)
          resolve({ kind: "timed_out", waitingFor: "the rest of the body", limitMs: silenceMs });
        else resolve({ kind: "broken", cause, staleConnection: false });
      });
      return () => controller.abort();
    });
  } finally {
    stopTimer();
  }
}

function checkWhole(state: DownloadState): TryOutcome | "whole" {
  const { receivedBytes, totalBytes, md5 } = state;
  if (totalBytes !== undefined && receivedBytes < totalBytes) {
    return { kind: "broken", cause: new Error("the body ended early"), staleConnection: false };
  }
  if (totalBytes !== undefined && receivedBytes > totalBytes) {
    throw new ResponseError(`the file should have ${totalBytes} bytes, and ${receivedBytes} came`);
  }
  if (md5 !== undefined && state.hash.copy().digest("base64") !== md5) {
    throw new ResponseError("the file that came is not the one stored: its MD5 differs");
  }
  return "whole";
}

async function requestFollowing(
  url: string,
  range: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const { request } = await import("undici");
  const headers = {
    accept: "*/*",
    "accept-encoding": "identity",
    "user-agent": `Tinkex/JS ${VERSION}`,
    ...range,
  };
  let place = url;
  for (let hops = 0; ; hops += 1) {
    const response = await request(place, { headers, signal, headersTimeout: 0, bodyTimeout: 0 });
    const { location } = response.headers;
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== "string")
      return response;
    await response.body.dump();
    const next = new URL(location, place);
    if (next.protocol !== "https:" && place.startsWith("https:")) {
      throw new ResponseError("the download is redirected from https to http, which is refused");
    }
    if (hops === MOST_REDIRECTS)
      throw new ResponseError(`the download is redirected more than ${MOST_REDIRECTS} times`);
    place = next.href;
  }
}

async function askUrl(options: DownloadOptions): Promise<string> {
  const url = await options.url();
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ValidationError("the address of the download is not an http(s) URL", { path: ["url"] });
  }
  return url;
}
