import { Semaphore, UnsupportedByServerError } from "@tinkex/base";
import { parseRetryHint, type SubmitOutcome } from "@tinkex/http";
import type { SampleRequest, SampleResponse, UntypedAPIFuture } from "@tinkex/types";
import { decodeJsonResponse, encodeJsonRequest } from "@tinkex/wire";
import { type QueueStateLog, samplingPauseLog } from "../channel/queue-state-log.js";
import type { FutureWork } from "../future/operation-context.js";
import type { SdkMethod } from "../session/sdk-method.js";
import type { Session } from "../session/session.js";
import { SequenceCounter } from "../training/sequence-counter.js";
import { promptBytes } from "./prompt-bytes.js";
import { Resampler } from "./resampler.js";
import { busyPauseMs } from "./sample-pressure.js";

/** One sample to run, checked. */
export interface SampleRun {
  readonly request: SampleRequest;
  readonly method: SdkMethod;
  /** Whether a sample that fails without fault of its own is made again. */
  readonly retries: boolean;
}

/** Runs the samples of one sampler: within the server's limits, made again where that is called for. */
export class SampleRunner {
  readonly #session: Session;
  readonly #sequence = new SequenceCounter(0);
  readonly #places: Semaphore;
  readonly #resampler: Resampler;
  readonly #log: QueueStateLog;
  #warnedOfIds = false;

  constructor(session: Session, samplingSessionId: string) {
    const { clock, random, logger } = session.core.settings;
    const { config } = session.server;
    this.#session = session;
    this.#places = new Semaphore(config.sample_max_concurrent_requests);
    this.#resampler = new Resampler({ clock, random, detectStuck: config.sample_enable_stuck_detection });
    this.#log = samplingPauseLog(samplingSessionId, { clock, logger });
  }

  /** Each attempt has a number of its own; repeats of one attempt's request share it. */
  async run({ request, method, retries }: SampleRun, work: FutureWork): Promise<SampleResponse> {
    const leave = await this.#places.acquire(work.signal);
    try {
      const attempt = () => this.#attempt({ ...request, seq_id: this.#sequence.take() }, method, work);
      const response = retries ? await this.#resampler.run(work.signal, attempt) : await attempt();
      checkAnswered(request, response);
      return response;
    } finally {
      leave();
    }
  }

  async #attempt(request: SampleRequest, method: SdkMethod, work: FutureWork): Promise<SampleResponse> {
    const session = this.#session;
    const byteLength = promptBytes(request.prompt);
    const { accepted, result } = await session.submit({
      method,
      requestType: "Sample",
      resultName: "SampleResponse",
      work,
      log: this.#log,
      // The time spent waiting for a place is ours, not the request's.
      startedAtMs: session.core.settings.clock.monotonic(),
      send: (headers) =>
        session.samplePressure.submit(byteLength, work.signal, () =>
          this.#send(request, byteLength, headers, work),
        ),
    });
    work.submitted();
    this.#offerCancel(accepted.request_id, work);
    return this.#withSequenceIds(await result, accepted.sample_sequence_ids);
  }

  async #send(
    request: SampleRequest,
    byteLength: number,
    headers: Readonly<Record<string, string>>,
    work: FutureWork,
  ): Promise<SubmitOutcome<UntypedAPIFuture>> {
    const { core, server } = this.#session;
    const { body } = encodeJsonRequest("SampleRequest", request, { generation: server.generation.fields });
    work.sending();
    const response = await core.transport.call({
      operation: "asample",
      body,
      // The header promises the server that a 429 is understood as "later".
      headers: { ...headers, "x-tinker-sampling-backpressure": "1" },
      returnStatuses: [429],
      signal: work.signal,
    });
    if (response.status !== 429) {
      return { kind: "accepted", value: decodeJsonResponse("UntypedAPIFuture", response.body) };
    }
    const hint = parseRetryHint(response.headers, core.settings.clock.now());
    return { kind: "busy", pauseMs: hint?.delayMs ?? busyPauseMs(byteLength) };
  }

  /** Where the server wants to hear of abandoned samples, cancelling tells it. */
  #offerCancel(requestId: string, work: FutureWork): void {
    const { core, server } = this.#session;
    work.onCancel(async () => {
      if (!server.dynamic.sample_cancel_enabled) return false;
      const { body } = encodeJsonRequest(
        "CancelFutureRequest",
        { request_id: requestId },
        { generation: server.generation.fields },
      );
      await core.unpausedTransport.call({ operation: "cancel_future", body, signal: core.closing });
      return true;
    });
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
    if (this.#warnedOfIds) return;
    this.#warnedOfIds = true;
    const { logger } = this.#session.core.settings;
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
