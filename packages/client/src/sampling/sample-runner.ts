import {
  ApiStatusError,
  BACKOFFS,
  BackoffCounter,
  type Clock,
  ConnectionError,
  Semaphore,
  TimeoutError,
  TinkexError,
} from "@tinkex/base";
import type { SampledSequence, SampleRequest, SampleResponse } from "@tinkex/types";
import type { BatchPoller } from "../channel/batch-poller.js";
import type { Channel, Submission } from "../channel/channel.js";
import { type QueueStateLog, samplingPauseLog } from "../channel/queue-state-log.js";
import type { OperationContext } from "../future/operation-context.js";
import { promptBytes } from "../inputs/model-input.js";
import { isLostSession, SessionLostError } from "../session/session-lost-error.js";
import { readScores } from "./read-scores.js";
import type { SampleOutput } from "./sample-output.js";
import { SamplerCopy } from "./sampler-copy.js";
import type { SamplerRetryOptions } from "./sampler-options.js";

const SMALL_PROMPT_BYTES = 131_072;
const SMALL_PROMPT_PAUSE_MS = 1_000;
const LARGE_PROMPT_PAUSE_MS = 5_000;

/** One sample to run, checked. */
export interface SampleRun {
  readonly request: SampleRequest;
  /** Tells whether a sample that fails without fault of its own is made again. */
  readonly isRetried: boolean;
  /** Tells whether fields that the record does not have are sent too. */
  readonly isUnchecked?: boolean | undefined;
  /** Tells whether only the scores of the prompt are wanted: the answer may be without sequences then. */
  readonly isScoring?: boolean | undefined;
}

/** Runs the samples of one sampler: within the server's limits, made again where that is called for. */
export class SampleRunner {
  readonly #channel: Channel;
  readonly #samplingSessionId: string;
  /** The copy that the samples are of; `undefined` for the original. */
  readonly #copy: SamplerCopy | undefined;
  /** Made with the first sample of a copy, whose number it needs. */
  #batch: BatchPoller | undefined;
  #hasJoined: boolean;
  /** As many as the service takes at a time; `undefined` where that is no limit. */
  readonly #permits: Semaphore | undefined;
  readonly #resampler: Resampler;
  readonly #log: QueueStateLog;
  #sampleCount = 0;
  #hasWarnedOfIds = false;
  /** Fields that were warned of. */
  readonly #absent = new Set<string>();

  constructor(
    channel: Channel,
    samplingSessionId: string,
    {
      isCopy = false,
      retry,
    }: { readonly isCopy?: boolean | undefined; readonly retry?: SamplerRetryOptions | undefined } = {},
  ) {
    const { server, environment } = channel;
    const { clock, random } = environment;
    this.#channel = channel;
    this.#samplingSessionId = samplingSessionId;
    this.#copy = isCopy ? new SamplerCopy(channel.session, samplingSessionId) : undefined;
    this.#hasJoined = !isCopy;
    this.#batch = isCopy ? undefined : channel.batchPoller(samplingSessionId);
    // Samples that are waited for together hold no connection each, and need no limit.
    const { sample_use_retrieve_futures: isBatched, sample_max_concurrent_requests: limit } = server.config;
    this.#permits = isBatched ? undefined : new Semaphore(limit);
    this.#resampler = new Resampler({
      clock,
      random,
      detectStuck: server.config.sample_enable_stuck_detection,
      ...retry,
    });
    this.#log = samplingPauseLog(samplingSessionId, environment);
  }

  /**
   * Each attempt has a number of its own; repeats of one attempt's request share it. The attempts are made in this function and no
   * other: thousands of samples wait at one time, and each async function that waits for another costs some hundred bytes.
   */
  async run(run: SampleRun, context: OperationContext): Promise<SampleOutput> {
    const permits = this.#permits;
    const release = permits && (permits.tryAcquire() ?? (await permits.acquire(context.signal)));
    try {
      if (run.isRetried) this.#resampler.began();
      let failures: SampleFailures | undefined;
      for (;;) {
        let response: SampleResponse;
        try {
          if (!this.#hasJoined) await this.#join(context.signal);
          const { accepted, result } = await this.#submit(run, context);
          context.submitted();
          context.onCancel(() => this.#channel.cancellations.cancel(accepted.request_id));
          response = await result;
          const ids = accepted.sample_sequence_ids;
          if (ids !== undefined) response = this.#withSequenceIds(response, ids);
        } catch (cause) {
          const error = this.#lossOr(cause);
          if (!run.isRetried) throw error;
          failures = await this.#resampler.pauseAfter(error, failures, context);
          continue;
        }
        if (run.isRetried) this.#resampler.succeeded();
        return readScores(run.request, response, (field) => this.#warnOfAbsent(field), run.isScoring);
      }
    } finally {
      release?.();
    }
  }

  #submit(
    { request, isUnchecked }: SampleRun,
    context: OperationContext,
  ): Promise<Submission<SampleResponse>> {
    const numbered = { ...request, seq_id: this.#sampleCount };
    this.#sampleCount += 1;
    const size = promptBytes(request.prompt);
    const busyPauseMs = size <= SMALL_PROMPT_BYTES ? SMALL_PROMPT_PAUSE_MS : LARGE_PROMPT_PAUSE_MS;
    const delivery = { size, busyPauseMs, isUnchecked, batch: this.#batch };
    return this.#channel.submitSample(numbered, delivery, context, this.#log);
  }

  /** Takes the number of the copy, from which its samples are counted. */
  async #join(signal: AbortSignal): Promise<void> {
    const copyNumber = (await this.#copy?.number(signal)) ?? 0;
    // Of several samples that waited for it the first is here first.
    if (this.#hasJoined) return;
    this.#hasJoined = true;
    this.#sampleCount = SamplerCopy.firstSampleOf(copyNumber);
    this.#batch = this.#channel.batchPoller(this.#samplingSessionId, copyNumber);
  }

  /** Tells a failure by which the service no longer knows the sampler as training clients tell the loss of a model. */
  #lossOr(error: unknown): unknown {
    // A copy that cannot join asks again with its next sample.
    if (!this.#hasJoined || !isLostSession(error, ["session", "sampler"])) return error;
    const remedy = "make a new sampling client, from the path of the weights or from the training client";
    return new SessionLostError(`sampler ${this.#samplingSessionId}`, { remedy, cause: error });
  }

  #withSequenceIds(response: SampleResponse, ids: readonly string[]): SampleResponse {
    if (ids.length !== response.sequences.length) {
      this.#warnOfIds(ids.length, response.sequences.length);
      return response;
    }
    const sequences = response.sequences.map((sequence, index): SampledSequence => {
      const sequence_id = ids[index];
      return sequence_id === undefined ? sequence : { ...sequence, sequence_id };
    });
    return { ...response, sequences };
  }

  #warnOfAbsent(field: string): void {
    if (this.#absent.has(field)) return;
    this.#absent.add(field);
    this.#channel.environment.logger.warn(
      `${field} was asked for, and the service gave nothing of that; the results are without it`,
    );
  }

  #warnOfIds(given: number, wanted: number): void {
    if (this.#hasWarnedOfIds) return;
    this.#hasWarnedOfIds = true;
    const { logger } = this.#channel.environment;
    logger.warn(`the service gave ${given} sequence ids for ${wanted} samples; they are ignored`);
  }
}

/** Without any progress for this long, requests count as stuck, in milliseconds. */
const STUCK_MS = 7_200_000;

/** The parts {@link Resampler} works with. */
export interface ResamplerOptions extends SamplerRetryOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Tells whether a sampler without progress for too long gives up. */
  readonly detectStuck: boolean;
}

/** Attempts at one sample that have failed. */
interface SampleFailures {
  readonly attempts: number;
  readonly pause: BackoffCounter;
}

/**
 * Has samples made again that failed without fault of their own: the service has forgotten them, or could not be reached for
 * longer than a request is retried. Each attempt is a new sample to the service. All samples of a client share the watch over
 * progress.
 */
export class Resampler {
  readonly #options: ResamplerOptions;
  #progressedAtMs: number;

  constructor(options: ResamplerOptions) {
    this.#options = options;
    this.#progressedAtMs = options.clock.monotonic();
  }

  /** Notes that a sample is drawn. Time in which none was does not count. */
  began(): void {
    const { clock, progressTimeoutMs = STUCK_MS } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#progressedAtMs > progressTimeoutMs) this.#progressedAtMs = nowMs;
  }

  /** Notes that a sample is there. */
  succeeded(): void {
    this.#progressedAtMs = this.#options.clock.monotonic();
  }

  /**
   * Waits until a sample that has failed is to be made again.
   *
   * @param before - its failures before this one
   * @returns its failures
   * @throws `error`, when another attempt could not help; ConnectionError when nothing has moved for hours; the reason of the signal
   */
  async pauseAfter(
    error: unknown,
    before: SampleFailures | undefined,
    context: Pick<OperationContext, "signal" | "attemptFailed">,
  ): Promise<SampleFailures> {
    const { signal } = context;
    if (signal.aborted) throw error;
    const { clock, random, maxRetries = Number.POSITIVE_INFINITY } = this.#options;
    const attempts = (before?.attempts ?? 0) + 1;
    const isRepeated = attempts <= maxRetries && mayHelp(error);
    context.attemptFailed(error, attempts, isRepeated);
    if (!isRepeated) throw error;
    this.#checkStuck(error, attempts);
    const pause = before?.pause ?? new BackoffCounter(BACKOFFS.resample, random);
    await clock.sleep(pause.nextMs(), signal);
    return { attempts, pause };
  }

  #checkStuck(cause: unknown, attempts: number): void {
    const { clock, detectStuck, progressTimeoutMs = STUCK_MS } = this.#options;
    const silentMs = clock.monotonic() - this.#progressedAtMs;
    if (!detectStuck || silentMs <= progressTimeoutMs) return;
    throw new ConnectionError(
      `no sample has made progress for ${Math.round(silentMs / 1000)} s: requests are stuck`,
      {
        attempts,
        cause,
      },
    );
  }
}

/** Tells whether a new sample may succeed where this one failed. */
function mayHelp(error: unknown): boolean {
  if (error instanceof ApiStatusError && error.status === 410) return true;
  if (error instanceof ApiStatusError && error.status === 402) return false;
  if (error instanceof TimeoutError || error instanceof ConnectionError) return true;
  return error instanceof TinkexError && error.retryable;
}
