import { checkKnownNames, checkObject, ResponseError, type Tokenizer } from "@tinkex/base";
import { TensorData, type TensorLike } from "@tinkex/tensor";
import {
  checkSent,
  type ModelInput,
  type SampleRequest,
  type SamplingParams,
  sampleRequestSchema,
  type TokenSource,
} from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import { describeSample } from "../events/describe-work.js";
import type { ApiFuture } from "../future/api-future.js";
import type { ClientLifecycle } from "../future/client-lifecycle.js";
import type { OperationContext } from "../future/operation-context.js";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { toModelInput } from "../inputs/model-input.js";
import { failedSample } from "./sample-failed-error.js";
import {
  checkMany,
  type ManySample,
  SAMPLE_MANY_OPTIONS,
  type SampleManyOptions,
  sampleMany,
} from "./sample-many.js";
import type { SampleOutput } from "./sample-output.js";
import { type SampleRun, SampleRunner } from "./sample-runner.js";
import type { SamplerHandle } from "./sampler-handle.js";
import type { SamplerRetryOptions } from "./sampler-options.js";
import { copyOfUsual } from "./usual-sample.js";

/** A prompt, how many samples to draw from it, and how. */
export interface SampleParams
  extends Omit<
    SampleRequest,
    | "prompt"
    | "target_prompt_logprobs"
    | "base_model"
    | "model_path"
    | "sampling_session_id"
    | "seq_id"
    | "type"
  > {
  /** A model input, or token ids for a prompt of text alone. */
  readonly prompt: ModelInput | TokenSource;
  /** K tokens to score at each position of the prompt but the first: int64, `[N - 1, K]`, in any form of a tensor; -1 leaves one out. */
  readonly target_prompt_logprobs?: TensorLike | undefined;
}

/** Options of {@link SamplingClient.sample}. */
export interface SampleOptions extends CallOptions {
  /** Send fields and sampling parameters that this package does not know. @defaultValue false */
  readonly unchecked?: boolean | undefined;
}

const SAMPLE_OPTIONS = { ...CALL_OPTIONS, unchecked: true } as const;

const SAMPLE_FIELDS: Readonly<Record<keyof SampleParams, true>> = {
  prompt: true,
  num_samples: true,
  sampling_params: true,
  prompt_logprobs: true,
  topk_prompt_logprobs: true,
  topk_sample_logprobs: true,
  target_prompt_logprobs: true,
  prompt_alt_tokens_k: true,
  prompt_logprobs_last_n: true,
  record_stability_info: true,
};

/** Places of sampling parameters, and of a chat, for the message of a call that has one beside the prompt. */
const PARAM_PLACES: Readonly<Record<keyof SamplingParams | "messages", string>> = {
  messages: "in renderer.buildGenerationPrompt(messages), which gives the prompt",
  max_tokens: "in sampling_params",
  seed: "in sampling_params",
  stop: "in sampling_params",
  temperature: "in sampling_params",
  top_k: "in sampling_params",
  top_p: "in sampling_params",
};

/** Options of {@link SamplingClient.computeLogprobs}. */
export interface ComputeLogprobsOptions extends CallOptions {
  /** Score the last n tokens only; the others are null. */
  readonly prompt_logprobs_last_n?: number | undefined;
}

const COMPUTE_LOGPROBS_OPTIONS = { ...CALL_OPTIONS, prompt_logprobs_last_n: true } as const;

/** The model below a sampler's weights, as far as it is known. */
export interface SamplerModel {
  readonly modelName: string | undefined;
  readonly tokenizerId: string | undefined;
  /** Asks for stability information with every sample that does not say otherwise. */
  readonly recordsStability?: boolean | undefined;
  /** Limits on making failed samples again. */
  readonly retry?: SamplerRetryOptions | undefined;
  /** Tells whether the client is a copy of one in another process. @defaultValue false */
  readonly isCopy?: boolean | undefined;
}

/** Makes the client of a sampler that exists on the service. */
export let samplingClientOf: (
  channel: Channel,
  samplingSessionId: string,
  model: SamplerModel,
) => SamplingClient;

/** Samples from one set of weights. Calls may overlap as much as you like; what is too much at one time waits. */
export class SamplingClient {
  static {
    samplingClientOf = (channel, samplingSessionId, model) =>
      new SamplingClient(channel, samplingSessionId, model);
  }

  /** The sampler's id on the service. */
  readonly samplingSessionId: string;
  readonly #channel: Channel;
  readonly #lifecycle: ClientLifecycle;
  readonly #model: SamplerModel;
  readonly #runner: SampleRunner;

  private constructor(channel: Channel, samplingSessionId: string, model: SamplerModel) {
    this.samplingSessionId = samplingSessionId;
    this.#channel = channel;
    this.#model = model;
    const { lifecycle } = channel.environment;
    this.#lifecycle = lifecycle.child("SamplingClient", `the sampling client of ${samplingSessionId}`, {
      samplingSessionId,
      baseModel: model.modelName,
    });
    this.#runner = new SampleRunner(channel, samplingSessionId, model);
  }

  /**
   * Draws `num_samples` samples of one prompt.
   *
   * @param params - `prompt`: token ids or a model input; `sampling_params`: `max_tokens`, `temperature`, `top_p`, `top_k`,
   *   `stop`, `seed`; `num_samples`: 1 or more, by default 1
   * @returns a future of the response; each of its `sequences` has `tokens` (`[L]`, L ≤ `max_tokens`, without the prompt),
   *   `logprobs` (`[L]`, natural logarithms, of temperature 1 without filters, whatever drew the tokens) and a `stop_reason`
   * @throws ValidationError at the call, before anything is sent
   *
   * @example
   * const { sequences } = await sampler.sample({ prompt: [1, 2], num_samples: 4, sampling_params: { max_tokens: 16 } });
   */
  sample(params: SampleParams, options: SampleOptions = {}): ApiFuture<SampleOutput> {
    this.#lifecycle.checkCall("sample", options, SAMPLE_OPTIONS);
    const sample: SampleRun = {
      request: this.#checkedRequest("sample", params, options.unchecked),
      isRetried: !this.#channel.server.config.sample_no_retries,
      isUnchecked: options.unchecked,
    };
    const run = (context: OperationContext): Promise<SampleOutput> => this.#runner.run(sample, context);
    const describe = () => describeSample<SampleOutput>(sample.request, (response) => response);
    return this.#lifecycle.start("sample", options, run, describe);
  }

  /**
   * Computes the log-probability of each token of a prompt given those before it.
   *
   * @param prompt - token ids, or a model input, of N tokens
   * @returns a future of N numbers (natural logarithms); null for the first token, which has nothing before it, and for those
   *   that `prompt_logprobs_last_n` leaves out
   * @throws ValidationError at the call, before anything is sent
   */
  computeLogprobs(
    prompt: ModelInput | TokenSource,
    options: ComputeLogprobsOptions = {},
  ): ApiFuture<readonly (number | null)[]> {
    this.#lifecycle.checkCall("computeLogprobs", options, COMPUTE_LOGPROBS_OPTIONS);
    const { prompt_logprobs_last_n } = options;
    const request = this.#checkedRequest("computeLogprobs", {
      prompt,
      num_samples: 1,
      sampling_params: { max_tokens: 1 },
      prompt_logprobs: true,
      ...(prompt_logprobs_last_n === undefined ? {} : { prompt_logprobs_last_n }),
    });
    const run = async (context: OperationContext): Promise<readonly (number | null)[]> => {
      const { prompt_logprobs: scores } = await this.#runner.run(
        { request, isRetried: true, isScoring: true },
        context,
      );
      if (scores === undefined) throw new ResponseError("the service gave no prompt_logprobs");
      return scores;
    };
    const describe = () => describeSample<readonly (number | null)[]>(request, () => undefined);
    return this.#lifecycle.start("computeLogprobs", options, run, describe);
  }

  /**
   * Draws samples of many requests, so many at a time, and gives each result when it is there. A request that fails is a result with
   * an `error`; the others go on. Leaving the loop, or aborting the signal, gives up what is under way.
   *
   * @param requests - what `sample` takes, of any iterable or async iterable; it is read as there is room
   * @param options - `concurrency`, `order`, `retries`, `onProgress`, and those of `sample` for each request
   * @throws ValidationError at the call; in the loop AbortedError, and what reading the requests throws
   *
   * @example
   * for await (const { index, response, error } of sampler.sampleMany(requests, { concurrency: 200 })) …
   */
  sampleMany(
    requests: Iterable<SampleParams> | AsyncIterable<SampleParams>,
    options: SampleManyOptions = {},
  ): AsyncGenerator<ManySample, void, undefined> {
    return this.#drawMany("sampleMany", requests, options);
  }

  /**
   * Draws samples of many requests as {@link sampleMany} does, and gives all responses in the order of the requests.
   *
   * @throws SampleFailedError of the first request that fails, with its `index` and its error as the `cause`; ValidationError, whose
   *   `path` begins with `requests` and the index, for one that is not valid; the other requests are given up then
   */
  async sampleAll(
    requests: Iterable<SampleParams> | AsyncIterable<SampleParams>,
    options: Omit<SampleManyOptions, "order"> = {},
  ): Promise<SampleOutput[]> {
    const responses: SampleOutput[] = [];
    for await (const { index, response, error } of this.#drawMany("sampleAll", requests, options)) {
      if (response === undefined) throw failedSample("sampleAll", index, error);
      responses[index] = response;
    }
    return responses;
  }

  /** Name of the model below the weights, where the server says it. */
  get baseModel(): string | undefined {
    return this.#model.modelName;
  }

  /**
   * Gives the model's tokenizer, one object for each model: the option `tokenizer` of the service client; else the model directory
   * that a server on this machine names; else from the Hugging Face hub (`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`, `HF_HUB_CACHE`),
   * where it is kept for the next time.
   *
   * @throws ValidationError when it is not to be had, saying what to pass; ApiStatusError or ConnectionError of the hub
   */
  async getTokenizer(options: CallOptions = {}): Promise<Tokenizer> {
    this.#lifecycle.checkCall("getTokenizer", options);
    const { session, environment } = this.#channel;
    const { modelName, tokenizerId } = this.#model;
    const model = { id: this.samplingSessionId, modelName, tokenizerId };
    return this.#lifecycle.start("getTokenizer", options, (context) =>
      environment.tokenizers.get(model, session, context),
    );
  }

  /**
   * Gives plain data by which a service client in another worker or process makes a client of the same sampler, with
   * {@link ServiceClient.createSamplingClientFromHandle}. It holds no key and no header, and lasts as long as the session.
   *
   * @example
   * worker.postMessage(sampler.toHandle());
   */
  toHandle(): SamplerHandle {
    const { session, environment } = this.#channel;
    const { modelName, tokenizerId, recordsStability } = this.#model;
    const { baseUrl } = environment.events.identity;
    return {
      type: "tinkex.sampler",
      session_id: session.id,
      sampling_session_id: this.samplingSessionId,
      ...(modelName === undefined ? {} : { base_model: modelName }),
      ...(tokenizerId === undefined ? {} : { tokenizer_id: tokenizerId }),
      ...(recordsStability === undefined ? {} : { record_stability_info: recordsStability }),
      ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    };
  }

  /** Ends this client's operations with `ClosedError` and takes no more. */
  async close(): Promise<void> {
    this.#lifecycle.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #drawMany(
    method: "sampleMany" | "sampleAll",
    requests: Iterable<SampleParams> | AsyncIterable<SampleParams>,
    options: SampleManyOptions,
  ): AsyncGenerator<ManySample, void, undefined> {
    this.#lifecycle.checkCall(method, options, SAMPLE_MANY_OPTIONS);
    checkMany(method, requests, options);
    const { timeoutMs, headers, unchecked } = options;
    return sampleMany(method, requests, options, async (params, signal) =>
      this.sample(params, { signal, timeoutMs, headers, unchecked }),
    );
  }

  #checkedRequest(
    method: "sample" | "computeLogprobs",
    params: SampleParams,
    isUnchecked = false,
  ): SampleRequest {
    checkObject(params, `${method}: params`, "{ prompt: [1, 2], sampling_params: { max_tokens: 16 } }");
    if (!isUnchecked) checkKnownNames(params, SAMPLE_FIELDS, method, PARAM_PLACES);
    const { target_prompt_logprobs: targets } = params;
    const given: Omit<SampleParams, "target_prompt_logprobs"> =
      targets === undefined
        ? params
        : { ...params, target_prompt_logprobs: TensorData.from(targets, TARGETS) };
    const request: Writable<SampleRequest> = {
      ...given,
      // Stated even at their defaults, as the official SDKs of all generations do.
      num_samples: params.num_samples ?? 1,
      prompt: toModelInput(params.prompt, "prompt"),
      prompt_logprobs: params.prompt_logprobs ?? false,
      topk_prompt_logprobs: params.topk_prompt_logprobs ?? 0,
      sampling_session_id: this.samplingSessionId,
    };
    if (this.#model.recordsStability === true && request.record_stability_info === undefined) {
      request.record_stability_info = true;
    }
    return isUnchecked ? request : (copyOfUsual(request) ?? checkSent(sampleRequestSchema, request, method));
  }
}

/** A record while it is put together. */
type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

const TARGETS = { key: "target_prompt_logprobs", dtype: "int64" } as const;
