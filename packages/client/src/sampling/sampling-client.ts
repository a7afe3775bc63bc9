import { ResponseError, type Tokenizer } from "@tinkex/base";
import {
  checkSent,
  type ModelInput,
  type SampleRequest,
  type SampleResponse,
  sampleRequestSchema,
  type TokenIds,
} from "@tinkex/types";
import type { ApiFuture } from "../future/api-future.js";
import type { CallOptions } from "../service/call-options.js";
import { checkObject } from "../service/check-object.js";
import { ClientLife } from "../service/client-lifecycle.js";
import { modelTokenizer } from "../service/model-tokenizer.js";
import type { Session } from "../session/session.js";
import { toModelInput } from "../training/passes/prepare-data.js";
import { SampleRunner } from "./sample-runner.js";

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
  readonly #runner: SampleRunner;

  /** @internal Made by {@link ServiceClient} and {@link TrainingClient}. */
  constructor(session: Session, samplingSessionId: string, model: SamplerModel) {
    this.samplingSessionId = samplingSessionId;
    this.#session = session;
    this.#model = model;
    this.#life = new ClientLife(session.core, `the sampling client of ${samplingSessionId}`);
    this.#runner = new SampleRunner(session, samplingSessionId);
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
      this.#runner.run({ request, method: "SamplingClient.sample", retries }, work),
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
      const run = { request, method: "SamplingClient.compute_logprobs", retries: true } as const;
      const { prompt_logprobs: scores } = await this.#runner.run(run, work);
      if (scores === undefined) throw new ResponseError("the service gave no prompt_logprobs");
      return scores;
    });
  }

  /** Name of the model below the weights, where the server says it. */
  get baseModel(): string | undefined {
    return this.#model.baseModel;
  }

  /** The model's tokenizer. @throws ValidationError when it is not on this machine, or a server elsewhere names its directory, and none was given */
  async getTokenizer(): Promise<Tokenizer> {
    const { tokenizer, baseUrl } = this.#session.core.settings;
    const { baseModel, tokenizerId } = this.#model;
    return modelTokenizer(
      tokenizer,
      {
        modelName: baseModel ?? this.samplingSessionId,
        tokenizerId: tokenizerId ?? this.#session.tokenizerIds.get(baseModel ?? ""),
      },
      baseUrl,
    );
  }

  /** Ends this client's operations with `ClosedError` and takes no more. */
  async close(): Promise<void> {
    this.#life.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkedRequest(params: SampleParams): SampleRequest {
    checkObject(params, "params", "{ prompt: [1, 2], sampling_params: { max_tokens: 16 } }");
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
}
