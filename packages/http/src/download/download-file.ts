import {
  type Clock,
  checkClock,
  checkFunction,
  checkObject,
  checkRandom,
  checkString,
  checkTimeoutMs,
  describeValue,
  onAbort,
  ProgressListener,
  ResponseError,
  startTimer,
  systemClock,
  TinkexError,
  ValidationError,
} from "@tinkex/base";
import { checkTarget, replaceFile } from "@tinkex/base/node";
import { networkError } from "../errors/network-error.js";
import { type CallFacts, statusError } from "../errors/status-error.js";
import type { TryOutcome } from "../errors/try-outcome.js";
import { CallLifetime } from "../limits/call-lifetime.js";
import { USUAL } from "../operations/policy.js";
import { RETRY_POLICIES, retryDelayMs } from "../retry/retry-policy.js";
import type { ProxySettings } from "../send/proxy.js";
import {
  checkSize,
  type DownloadState,
  errorBytes,
  failOwn,
  freshState,
  notePart,
  noteWhole,
  OwnFailure,
  rangeHeaders,
  receiveInto,
  startOver,
  versionOf,
} from "./download-part.js";
import { DownloadRequests } from "./download-requests.js";
import { type GrowingFile, removeKept, resumeFile } from "./kept-part.js";

/** Options of {@link downloadFile}. */
export interface DownloadOptions {
  /** Gives the file's address, and is asked again when that has expired. Signed addresses are secret: none is shown. */
  readonly url: () => string | Promise<string>;
  /**
   * Path of the file, in a folder that exists. It appears there in one step, whole or not at all, readable by its owner alone, in
   * place of a file or link that was there. Until then it grows beside it under a random name that ends in `.partial`, which
   * is taken away whatever happens; that of a killed process goes with the next download to the target. Of two downloads to one
   * target the last to finish stays.
   */
  readonly target: string;
  /**
   * Path where the file grows instead, in the target's file system. What has come stays there when the download fails or the process is
   * killed, and the next call with it asks for the rest alone; `<partial>.json` beside it says of which version it is. One download at a
   * time may use it. What a ResponseError condemns is taken away. @defaultValue none: a later call begins at the first byte
   */
  readonly partial?: string | undefined;
  /**
   * Waits until the disk has the file before it gets its name, so that a power loss leaves no file of zeros under it. Without, a file may
   * come up to twice as fast, and what it has is certain some seconds later. @defaultValue true
   */
  readonly flush?: boolean | undefined;
  /** Told after each piece. What it throws, at once or later, ends the download. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Most bytes of the file. @defaultValue none; a server that tells the length never sends more than that */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limit of the whole download, in milliseconds. @defaultValue none */
  readonly timeoutMs?: number | undefined;
  /** Longest silence that is waited out, in milliseconds. @defaultValue 60000 */
  readonly silenceMs?: number | undefined;
  /** Proxies to go through; `proxyFromEnvironment` reads the usual variables. @defaultValue none */
  readonly proxy?: ProxySettings | undefined;
  /** Certificates to trust instead of the system's, in PEM. */
  readonly ca?: string | readonly string[] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** Progress of a download. */
export interface DownloadProgress {
  readonly receivedBytes: number;
  /** Absent when the server does not tell. */
  readonly totalBytes: number | undefined;
}

/** Most tries in a row that bring nothing, and most new addresses. */
const POLICY = { ...RETRY_POLICIES.counted, maxRetries: 5 };
const MAX_RENEWALS = 2;
/** An address that has expired is answered with one of these. */
const EXPIRED = [403, 410];
/** Waiting may mend these, besides 5xx; 416 is mended by beginning anew. */
const PASSING = [408, 416, 429];

/**
 * Downloads a file without any credential of ours. A connection that breaks is taken up where it broke, if the file is still of
 * the same version and length; else it begins anew. An address that has expired is asked for anew; length and MD5 are checked
 * where the server tells them. A later call begins at the first byte, unless `partial` is given. A file that the server has packed
 * (`Content-Encoding`) is refused.
 *
 * @returns the number of bytes
 * @throws ApiStatusError, ConnectionError, TimeoutError, AbortedError, and ResponseError for a file that is not whole, changes
 *   its length or is longer than `maxBytes`; ValidationError for an option that cannot work; what the file system, `url` or
 *   `onProgress` throws, as it is
 */
export async function downloadFile(options: DownloadOptions): Promise<number> {
  checkObject(options, "the options of downloadFile", "{ url, target }");
  const { clock = systemClock, maxBytes, target, partial, flush = true } = options;
  checkClock(clock, "downloadFile: clock");
  checkRandom(options.random, "downloadFile: random");
  checkTimeoutMs(options.timeoutMs);
  checkFunction(options.url, "downloadFile: url");
  checkString(target, "downloadFile: target", "weights.tar");
  if (partial !== undefined) checkString(partial, "downloadFile: partial", "weights.tar.part");
  if (typeof flush !== "boolean") {
    throw new ValidationError(`downloadFile: flush must be true or false, got ${describeValue(flush)}`, {
      path: ["flush"],
    });
  }
  if (maxBytes !== undefined && !(typeof maxBytes === "number" && maxBytes > 0)) {
    throw new ValidationError(
      `downloadFile: maxBytes must be a number of bytes above 0, got ${describeValue(maxBytes)}`,
      {
        path: ["maxBytes"],
      },
    );
  }
  await checkTarget(target, "downloadFile: target");
  if (partial !== undefined) await checkTarget(partial, "downloadFile: partial");
  const lifetime = new CallLifetime("the download", clock, options);
  const requests = new DownloadRequests(options);
  const fill = async (growing: GrowingFile): Promise<number> => {
    try {
      return await receive(growing, requests, options, lifetime);
    } finally {
      await requests.close();
    }
  };
  try {
    if (partial !== undefined) return await resumeFile(target, partial, fill, flush);
    return await replaceFile(target, (file) => fill({ file, state: freshState(), keep: async () => {} }), {
      flush,
    });
  } catch (error) {
    if (partial !== undefined && error instanceof ResponseError) await removeKept(partial);
    throw error;
  } finally {
    lifetime.end();
  }
}

async function receive(
  growing: GrowingFile,
  requests: DownloadRequests,
  options: DownloadOptions,
  lifetime: CallLifetime,
): Promise<number> {
  const random = options.random ?? Math.random;
  const { file, state } = growing;
  if (versionOf(state) === undefined) await startOver(file, state);
  // A process may have been killed between the last byte and the file's last name.
  if (state.receivedBytes > 0 && state.receivedBytes === state.totalBytes) {
    checkSize(state.totalBytes, options.maxBytes);
    if (checkWhole(state) === "whole") return state.receivedBytes;
  }
  const progress = new ProgressListener(options.onProgress);
  let url = await lifetime.outlast(askUrl(options));
  let renewals = 0;
  let maxReceived = 0;
  let fruitless = 0;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await receiveOnce(growing, requests, url, options, lifetime, progress);
    progress.signal.throwIfAborted();
    if (outcome === "whole") return state.receivedBytes;
    if (outcome.kind === "answer" && EXPIRED.includes(outcome.status) && renewals < MAX_RENEWALS) {
      renewals += 1;
      url = await lifetime.outlast(askUrl(options));
      continue;
    }
    // Only what has not come before is progress: a server that cannot resume may send the same half for ever.
    fruitless = state.receivedBytes > maxReceived ? 1 : fruitless + 1;
    maxReceived = Math.max(maxReceived, state.receivedBytes);
    if (versionOf(state) === undefined) await startOver(file, state);
    const delayMs = mayPass(outcome)
      ? retryDelayMs({ policy: POLICY, retries: fruitless - 1, elapsedMs: 0, random })
      : undefined;
    if (delayMs === undefined) throw downloadError(outcome, url, requests.secrets, attempts);
    await lifetime.sleep(delayMs);
  }
}

function mayPass(outcome: TryOutcome): boolean {
  if (outcome.kind !== "answer") return true;
  return outcome.status >= 500 || PASSING.includes(outcome.status);
}

function downloadError(
  outcome: TryOutcome,
  url: string,
  secrets: readonly string[],
  attempts: number,
): TinkexError {
  const { origin, pathname } = new URL(url);
  const facts: CallFacts = {
    operation: "the download",
    // Without its query, which may be a signature.
    baseUrl: origin + pathname,
    attempts,
    earlierTries: [],
    finalStatuses: [],
    // A store that refuses a signature quotes it.
    secrets,
  };
  return outcome.kind === "answer" ? statusError(outcome, facts) : networkError(outcome, facts);
}

/** One request, for what is still missing. */
async function receiveOnce(
  growing: GrowingFile,
  requests: DownloadRequests,
  url: string,
  options: DownloadOptions,
  lifetime: CallLifetime,
  progress: ProgressListener<DownloadProgress>,
): Promise<TryOutcome | "whole"> {
  const { file, state } = growing;
  const silenceMs = options.silenceMs ?? USUAL.silenceMs;
  const controller = new AbortController();
  let isSilent = false;
  let stopTimer = (): void => {};
  const listen = (): void => {
    stopTimer();
    stopTimer = startTimer(silenceMs, () => {
      isSilent = true;
      controller.abort();
    });
  };
  const work = async (): Promise<TryOutcome | "whole"> => {
    listen();
    const answer = await requests.send(url, rangeHeaders(state), controller.signal);
    const { statusCode, headers, body } = answer;
    const resumed = statusCode === 206 && state.receivedBytes > 0;
    if (statusCode !== 200 && !resumed) {
      // 416: what we have is longer than what is there now.
      if (statusCode === 416) await startOver(file, state);
      return { kind: "answer", status: statusCode, headers: {}, body: await errorBytes(statusCode, body) };
    }
    if (!resumed) {
      await startOver(file, state);
      noteWhole(headers, state);
      await growing.keep().catch(failOwn);
    } else if (!notePart(headers, state)) {
      await startOver(file, state);
      await answer.discard();
      const cause = new Error("the file has changed meanwhile, or its length is not told");
      return { kind: "broken", cause, isStaleConnection: false };
    }
    checkSize(state.totalBytes, options.maxBytes);
    const onBytes = (): void => {
      listen();
      progress.tell({ receivedBytes: state.receivedBytes, totalBytes: state.totalBytes });
    };
    await receiveInto(file, body, state, options.maxBytes, onBytes, () => controller.abort());
    return checkWhole(state);
  };
  const leaveProgress = onAbort(progress.signal, () => controller.abort());
  try {
    return await lifetime.during(({ resolve, reject }) => {
      work().then(resolve, (cause: unknown) => {
        if (cause instanceof OwnFailure) reject(cause.reason);
        else if (TinkexError.isInstance(cause)) reject(cause);
        else if (isSilent)
          resolve({ kind: "timed_out", waitingFor: "the rest of the body", limitMs: silenceMs });
        else resolve({ kind: "broken", cause, isStaleConnection: false });
      });
      return () => controller.abort();
    });
  } finally {
    leaveProgress();
    stopTimer();
  }
}

function checkWhole(state: DownloadState): TryOutcome | "whole" {
  const { receivedBytes, totalBytes, md5 } = state;
  if (totalBytes !== undefined && receivedBytes < totalBytes) {
    return { kind: "broken", cause: new Error("the body ended early"), isStaleConnection: false };
  }
  if (md5 !== undefined && state.hash.copy().digest("base64") !== md5) {
    throw new ResponseError("the file that came is not the one stored: its MD5 differs");
  }
  return "whole";
}

async function askUrl(options: DownloadOptions): Promise<string> {
  const url = await options.url();
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new ValidationError("downloadFile: url must give an address that begins with http:// or https://", {
      path: ["url"],
    });
  }
  return url;
}
