import { Semaphore, UnsupportedByServerError } from "@tinkex/base";
import type { SampleRequest, SampleResponse } from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import { type QueueStateLog, samplingPauseLog } from "../channel/queue-state-log.js";
import type { OperationContext } from "../future/operation-context.js";
import { promptBytes } from "../inputs/model-input.js";
import { SequenceCounter } from "../session/sequence-counter.js";
import { Resampler } from "./resampler.js";

const SMALL_PROMPT_BYTES = 131_072;
const SMALL_PROMPT_PAUSE_MS = 1_000;
const LARGE_PROMPT_PAUSE_MS = 5_000;

/** One sample to run, checked. */
export interface SampleRun {
  readonly request: SampleRequest;
  /** Whether a sample that fails without fault of its own is made again. */
  readonly isRetried: boolean;
}

/** Runs the samples of one sampler: within the server's limits, made again where that is called for. */
export class SampleRunner {
  readonly #channel: Channel;
  readonly #sequence = new SequenceCounter(0);
  readonly #permits: Semaphore;
  readonly #resampler: Resampler;
  readonly #log: QueueStateLog;
  #hasWarnedOfIds = false;

  constructor(channel: Channel, samplingSessionId: string) {
    const { server, environment } = channel.session;
    const { clock, random } = environment;
    this.#channel = channel;
    this.#permits = new Semaphore(server.config.sample_max_concurrent_requests);
    this.#resampler = new Resampler({
      clock,
      random,
      detectStuck: server.config.sample_enable_stuck_detection,
    });
    this.#log = samplingPauseLog(samplingSessionId, environment);
  }

  /** Each attempt has a number of its own; repeats of one attempt's request share it. */
  async run({ request, isRetried }: SampleRun, context: OperationContext): Promise<SampleResponse> {
    const release = await this.#permits.acquire(context.signal);
    try {
      const attempt = () => this.#attempt({ ...request, seq_id: this.#sequence.take() }, context);
      const response = isRetried ? await this.#resampler.run(context.signal, attempt) : await attempt();
      checkAnswered(request, response);
      return response;
    } finally {
      release();
    }
  }

  async #attempt(request: SampleRequest, context: OperationContext): Promise<SampleResponse> {
    const size = promptBytes(request.prompt);
    const busyPauseMs = size <= SMALL_PROMPT_BYTES ? SMALL_PROMPT_PAUSE_MS : LARGE_PROMPT_PAUSE_MS;
    const submission = await this.#channel.submitSample(request, size, busyPauseMs, context, this.#log);
    const { accepted, result } = submission;
    context.submitted();
    context.onCancel(() => this.#cancel(accepted.request_id));
    return this.#withSequenceIds(await result, accepted.sample_sequence_ids);
  }

  /** Where the server wants to hear of abandoned samples, tells it. */
  async #cancel(requestId: string): Promise<boolean> {
    const { server, unpaused, environment } = this.#channel.session;
    if (!server.dynamic.sample_cancel_enabled) return false;
    await unpaused.call(
      "cancel_future",
      { request_id: requestId },
      { signal: environment.lifecycle.closing },
    );
    return true;
  }

  #withSequenceIds(response: SampleResponse, ids: readonly string[] | undefined): SampleResponse {
    if (ids === undefined) return response;
    if (ids.length !== response.sequences.length) {
      this.#warnOfIds(ids.length, response.sequences.length);
      return response;
    }
    const sequences = response.sequences.map((sequence, index) => {
      const id = ids[index];
      return id === undefined ? sequence : { ...sequence, sequence_id: id };
    });
    return { ...response, sequences };
  }

  #warnOfIds(given: number, wanted: number): void {
    if (this.#hasWarnedOfIds) return;
    this.#hasWarnedOfIds = true;
    const { logger } = this.#channel.session.environment;
    logger.warn(`the service gave ${given} sequence ids for ${wanted} samples; they are ignored`);
  }
}

/** A server that does not know a field ignores it; what was asked for then is not there. @throws UnsupportedByServerError */
function checkAnswered(request: SampleRequest, response: SampleResponse): void {
  if ((request.prompt_alt_tokens_k ?? 0) > 0 && response.prompt_alt_tokens === undefined) {
    throw new UnsupportedByServerError("prompt_alt_tokens_k was asked for and the server drew no tokens", {
      feature: "prompt_alt_tokens_k",
    });
  }
  const { prompt_logprobs_last_n: lastN } = request;
  const scores = response.prompt_logprobs;
  if (lastN === undefined || scores === undefined) return;
  if (scores.slice(0, Math.max(0, scores.length - lastN)).every((score) => score === null)) return;
  throw new UnsupportedByServerError(
    "prompt_logprobs_last_n was asked for and the server scored the whole prompt",
    {
      feature: "prompt_logprobs_last_n",
    },
  );
}
