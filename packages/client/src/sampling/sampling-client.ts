import { parseRetryHint } from "@tinkex/http";
import {
  checkSent,
  type ModelInput,
  ResponseError,
  type SampleRequest,
  type SampleResponse,
  sampleRequestSchema,
  type TokenIds,
  type Tokenizer,
  type TransportResponse,
  UnsupportedByServerError,
  type UntypedAPIFuture,
} from "@tinkex/types";
import { decodeJsonResponse, encodeJsonRequest } from "@tinkex/wire";
import type { ApiFuture } from "../future/api-future.js";
import type { FutureWork } from "../future/future-work.js";
import { CountLimit } from "../queue/count-limit.js";
import { SequenceCounter } from "../queue/sequence-counter.js";
import type { CallOptions } from "../session/call-options.js";
import { ClientLife } from "../session/client-life.js";
import { modelTokenizer } from "../session/model-tokenizer.js";
import { type QueueStateLog, samplingPauseLog } from "../session/queue-state-log.js";
import type { SdkMethod } from "../session/sdk-method.js";
import type { Session } from "../session/session.js";
import { toModelInput } from "../training/prepare-data.js";
import { promptBytes } from "./prompt-bytes.js";
import { Resampler } from "./resampler.js";
import type { DispatchOutcome } from "./sample-dispatch.js";

/** What to draw: a prompt, how many samples, and how. */
export interface SampleParams
  extends Omit<
    SampleRequest,
    "prompt" | "base_model" | "model_path" | "sampling_session_id" | "seq_id" | "type"
  > {
  /** A model input, or token ids for a prompt of text alone. */
  readonly prompt: ModelInput | TokenIds;
}

/** How {@link SamplingClient.computeLogprobs} scores. */
export interface ComputeLogprobsParams {
  /** Score the last n tokens only; the others are null. */
  readonly prompt_logprobs_last_n?: number | undefined;
}

/** What a sampler samples from, as far as it is known. */
export interface SamplerModel {
  readonly baseModel: string | undefined;
  readonly tokenizerId: string | undefined;
}

/** Samples from one set of weights. Calls may overlap as much as you like; what is too much at one time waits. */
export class SamplingClient {
  /** The sampler's id on the service. */
  readonly samplingSessionId: string;
  readonly #session: Session;
  readonly #life: ClientLife;
  readonly #model: SamplerModel;
  readonly #sequence = new SequenceCounter(0);
  readonly #places: CountLimit;
  readonly #resampler: Resampler;
  readonly #log: QueueStateLog;
  #warnedOfIds = false;

  /** @internal Made by {@link ServiceClient} and {@link TrainingClient}. */
  constructor(session: Session, samplingSessionId: string, model: SamplerModel) {
    const { core, server } = session;
    this.samplingSessionId = samplingSessionId;
    this.#session = session;
    this.#model = model;
    this.#life = new ClientLife(core, `the sampling client of ${samplingSessionId}`);
    this.#places = new CountLimit(server.config.sample_max_concurrent_requests);
    this.#resampler = new Resampler({
      clock: core.settings.clock,
      random: core.settings.random,
      detectStuck: server.config.sample_enable_stuck_detection,
    });
    this.#log = samplingPauseLog(samplingSessionId, core.settings);
  }

  /**
   * Draws samples.
   *
   * @throws ValidationError at the call, before anything is sent
   */
  sample(params: SampleParams, options: CallOptions = {}): ApiFuture<SampleResponse> {
    this.#life.checkOpen();
    const request = this.#checkedRequest(params);
    const retries = !this.#session.server.config.sample_no_retries;
    return this.#life.start("sample", options, (work) =>
      this.#run(request, "SamplingClient.sample", retries, work),
    );
  }

  /**
   * Log-probability of each prompt token given those before it; null for the first.
   *
   * @throws ValidationError at the call, before anything is sent
   */
  computeLogprobs(
    prompt: ModelInput | TokenIds,
    params: ComputeLogprobsParams = {},
    options: CallOptions = {},
  ): ApiFuture<readonly (number | null)[]> {
    this.#life.checkOpen();
    const request = this.#checkedRequest({
      ...params,
      prompt,
      num_samples: 1,
      sampling_params: { max_tokens: 1 },
      prompt_logprobs: true,
    });
    return this.#life.start("compute_logprobs", options, async (work) => {
      const response = await this.#run(request, "SamplingClient.compute_logprobs", true, work);
      if (response.prompt_logprobs === undefined)
        throw new ResponseError("the service gave no prompt_logprobs");
      return response.prompt_logprobs;
    });
  }

  /** Name of the model below the weights, where the server says it. */
  get baseModel(): string | undefined {
    return this.#model.baseModel;
  }

  /** The model's tokenizer. @throws ValidationError when it is not on this machine and none was given */
  async getTokenizer(): Promise<Tokenizer> {
    const { baseModel, tokenizerId } = this.#model;
    const { tokenizer } = this.#session.core.settings;
    return modelTokenizer(tokenizer, { modelName: baseModel ?? this.samplingSessionId, tokenizerId });
  }

  /** Ends this client's operations with `ClosedError` and takes no more. */
  async close(): Promise<void> {
    this.#life.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkedRequest(params: SampleParams): SampleRequest {
    const request = {
      ...params,
      // Stated even at their defaults, as the official SDKs of all generations do.
      num_samples: params.num_samples ?? 1,
      prompt: toModelInput(params.prompt, "prompt"),
      prompt_logprobs: params.prompt_logprobs ?? false,
      topk_prompt_logprobs: params.topk_prompt_logprobs ?? 0,
      sampling_session_id: this.samplingSessionId,
    };
    return checkSent(sampleRequestSchema, request, "sample");
  }

  /** One sample, made again where that is called for. Each attempt has a number of its own. */
  async #run(
    request: SampleRequest,
    method: SdkMethod,
    retries: boolean,
    work: FutureWork,
  ): Promise<SampleResponse> {
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
    const { accepted, result } = await session.submit({
      method,
      requestType: "Sample",
      resultName: "SampleResponse",
      work,
      log: this.#log,
      // The time spent waiting for a place is ours, not the request's.
      startedAtMs: session.core.settings.clock.monotonic(),
      send: (headers) =>
        session.sampleDispatch.submit(promptBytes(request.prompt), work.signal, () =>
          this.#send(request, headers, work.signal),
        ),
    });
    work.submitted();
    this.#offerCancel(accepted.request_id, work);
    return this.#withSequenceIds(await result, accepted.sample_sequence_ids);
  }

  async #send(
    request: SampleRequest,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<DispatchOutcome<UntypedAPIFuture>> {
    const { core, server } = this.#session;
    const response: TransportResponse = await core.transport.call({
      operation: "asample",
      body: encodeJsonRequest("SampleRequest", request, { generation: server.generation.fields }).body,
      // The header promises the server that a 429 is understood as "later".
      headers: { ...headers, "x-tinker-sampling-backpressure": "1" },
      returnStatuses: [429],
      signal,
    });
    if (response.status !== 429) {
      return { kind: "accepted", value: decodeJsonResponse("UntypedAPIFuture", response.body) };
    }
    return { kind: "busy", pauseMs: parseRetryHint(response.headers, core.settings.clock.now())?.delayMs };
  }

  /** Where the server wants to hear of abandoned samples, cancelling tells it. */
  #offerCancel(requestId: string, work: FutureWork): void {
    const { core, server } = this.#session;
    work.onCancel(async () => {
      if (!server.dynamic.sample_cancel_enabled) return false;
      const { body } = encodeJsonRequest(
        "CancelFutureRequest",
        { request_id: requestId },
        { generation: "0.38" },
      );
      await core.transport.call({ operation: "cancel_future", body, signal: core.closing });
      return true;
    });
  }

  #withSequenceIds(response: SampleResponse, ids: readonly string[] | undefined): SampleResponse {
    if (ids === undefined) return response;
    if (ids.length !== response.sequences.length) {
      if (!this.#warnedOfIds) {
        this.#warnedOfIds = true;
        this.#session.core.settings.logger.warn(
          `the service gave ${ids.length} sequence ids for ${response.sequences.length} samples; they are ignored`,
        );
      }
      return response;
    }
    const sequences = response.sequences.map((sequence, index) => {
      const id = ids[index];
      return id === undefined ? sequence : { ...sequence, sequence_id: id };
    });
    return { ...response, sequences };
  }
}

/** A server that does not know a field ignores it; what was asked for then is not there. @throws UnsupportedByServerError */
function checkAnswered(request: SampleRequest, response: SampleResponse): void {
  if ((request.prompt_alt_tokens_k ?? 0) > 0 && response.prompt_alt_tokens === undefined) {
    throw new UnsupportedByServerError(
      "prompt_alt_tokens_k was asked for and the server returned no prompt_alt_tokens",
      {
        feature: "prompt_alt_tokens_k",
      },
    );
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
