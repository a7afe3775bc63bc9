import { ResponseError, type Tokenizer, ValidationError } from "@tinkex/base";
import type {
  AdamParams,
  CustomLoss,
  GetInfoResponse,
  LoadWeightsResponse,
  LossFnConfig,
  LossFnType,
  OptimizerParams,
  OptimStepResponse,
  Records,
  SamplingClientKind,
  SaveWeightsForSamplerResponse,
  SaveWeightsResponse,
} from "@tinkex/types";
import type { FutureResultName, RequestName } from "@tinkex/wire";
import type { ApiFuture } from "../future/api-future.js";
import type { FutureWork } from "../future/operation-context.js";
import { SamplingClient } from "../sampling/sampling-client.js";
import type { CallOptions } from "../service/call-options.js";
import { ClientLife } from "../service/client-lifecycle.js";
import { modelTokenizer } from "../service/model-tokenizer.js";
import { checkTrainingPath } from "./checkpoints/checkpoint-kinds.js";
import { pathAfterConflict } from "./checkpoints/save-conflict.js";
import {
  checkSave,
  type SamplerSaveOptions,
  type SamplerSaveParams,
  type SaveOptions,
  type SaveParams,
} from "./checkpoints/save-params.js";
import { checkCustomData } from "./custom-loss/custom-loss.js";
import { runCustomLoss } from "./custom-loss/run-custom-loss.js";
import { readModelInfo } from "./model-info.js";
import { optimizerFields } from "./optimizer-fields.js";
import { combineOutputs, type PassOutput } from "./passes/combine-outputs.js";
import { checkLossConfig, checkLossName, type DatumLike, prepareData } from "./passes/prepare-data.js";
import { passResults, sendPass } from "./passes/training-pass.js";
import { runSingleRequest, type SingleRequest } from "./single-request.js";
import type { TrainedModel } from "./trained-model.js";

/** Whose weights are loaded. */
export interface LoadParams {
  /** A secret that the checkpoint's owner gave out. */
  readonly weights_access_token?: string | undefined;
}

/**
 * Trains one model. Every method that returns an {@link ApiFuture} submits at once, in the order of the calls, and need not be
 * awaited before the next call: submit `forwardBackward` and `optimStep`, then await both.
 */
export class TrainingClient {
  /** The model's id on the service; its training run has the same. */
  readonly modelId: string;
  readonly #model: TrainedModel;
  readonly #life: ClientLife;
  #info: GetInfoResponse | undefined;

  /** @internal Made by {@link ServiceClient}. `info`: what the server said of the model, if it could say. */
  constructor(model: TrainedModel, info: GetInfoResponse | undefined) {
    this.modelId = model.id;
    this.#model = model;
    this.#info = info;
    this.#life = new ClientLife(model.session.core, `the training client of ${model.id}`);
  }

  /**
   * Gradients of the loss over `data`, added to those since the last {@link optimStep}.
   *
   * @param data - examples; the arrays in them must not change until the future's `submitted` resolves
   * @param lossFnConfig - options of the loss, e.g. `{ clip_low_threshold: 0.8 }`
   * @throws ValidationError at the call, before anything is sent, naming datum, key and index
   */
  forwardBackward(
    data: readonly DatumLike[],
    lossFn: LossFnType,
    lossFnConfig?: LossFnConfig,
    options: CallOptions = {},
  ): ApiFuture<PassOutput> {
    return this.#pass("forward_backward", data, lossFn, lossFnConfig, options);
  }

  /** As {@link forwardBackward}, without gradients: losses and log-probabilities only. */
  forward(
    data: readonly DatumLike[],
    lossFn: LossFnType,
    lossFnConfig?: LossFnConfig,
    options: CallOptions = {},
  ): ApiFuture<PassOutput> {
    return this.#pass("forward", data, lossFn, lossFnConfig, options);
  }

  /**
   * Gradients of a loss of your own, computed here from the log-probabilities of each datum's `target_tokens`. Takes two passes
   * on the service; operations called after it come after both. `metrics["loss:sum"]` is the value of your loss.
   */
  forwardBackwardCustom(
    data: readonly DatumLike[],
    loss: CustomLoss,
    options: CallOptions = {},
  ): ApiFuture<PassOutput> {
    this.#life.checkOpen();
    const prepared = prepareData(data);
    checkCustomData(prepared);
    return this.#start("forward_backward_custom", options, (work, startedAtMs) =>
      runCustomLoss(this.#model, { data: prepared, loss, startedAtMs }, work),
    );
  }

  /**
   * One step of the optimizer with the gradients gathered so far.
   *
   * @param params - of AdamW; with a `type`, of another family that the model was created with
   */
  optimStep(
    params: AdamParams | OptimizerParams = {},
    options: CallOptions = {},
  ): ApiFuture<OptimStepResponse> {
    this.#life.checkOpen();
    const step = optimizerFields(params);
    return this.#single(options, {
      method: "TrainingClient.optim_step",
      operation: "optim_step",
      requestType: "OptimStep",
      requestName: "OptimStepRequest",
      record: (seqId) => ({ ...step, model_id: this.modelId, seq_id: seqId }),
      resultName: "OptimStepResponse",
    });
  }

  /** Saves weights and optimizer state under a name; the result's `path` goes on training from there. */
  saveState(
    name: string,
    params: SaveParams = {},
    options: SaveOptions = {},
  ): ApiFuture<SaveWeightsResponse> {
    this.#life.checkOpen();
    checkSave(name, params, options, ["error", "reuse", "overwrite"]);
    const overwrite = params.overwrite ?? options.onConflict === "overwrite";
    return this.#single(options, {
      method: "TrainingClient.save_state",
      operation: "save_weights",
      requestType: "SaveWeights",
      requestName: "SaveWeightsRequest",
      record: (seqId) => ({ ...params, model_id: this.modelId, path: name, seq_id: seqId, overwrite }),
      resultName: "SaveWeightsResponse",
      recover: (error) => ({
        path: pathAfterConflict(error, { ...options, modelId: this.modelId, type: "training", name }),
      }),
    });
  }

  /** Saves weights to sample from under a name; the result's `path` makes a sampling client. */
  saveWeightsForSampler(
    name: string,
    params: SamplerSaveParams = {},
    options: SamplerSaveOptions = {},
  ): ApiFuture<SaveWeightsForSamplerResponse & { readonly path: string }> {
    this.#life.checkOpen();
    checkSave(name, params, options, ["error", "reuse"]);
    return this.#start("save_weights_for_sampler", options, async (work, startedAtMs) => {
      const saved = await this.#run(work, startedAtMs, {
        method: "TrainingClient.save_weights_for_sampler",
        operation: "save_weights_for_sampler",
        requestType: "SaveWeightsForSampler",
        requestName: "SaveWeightsForSamplerRequest",
        record: (seqId) => ({ ...params, model_id: this.modelId, path: name, seq_id: seqId }),
        resultName: "SaveWeightsForSamplerResponse",
        recover: (error) => ({
          path: pathAfterConflict(error, { ...options, modelId: this.modelId, type: "sampler", name }),
        }),
      });
      if (saved.path === undefined)
        throw new ResponseError(`the service saved ${name} and gave no path for it`);
      return { ...saved, path: saved.path };
    });
  }

  /**
   * A sampling client of the weights as they are at this point of the order of calls. The weights get no name and last as long
   * as the session.
   *
   * @param params.kind - `inflight`: later inflight saves move the weights of this sampler on. @defaultValue `snapshot`
   */
  saveWeightsAndGetSamplingClient(
    params: { readonly kind?: SamplingClientKind | undefined } = {},
    options: CallOptions = {},
  ): ApiFuture<SamplingClient> {
    this.#life.checkOpen();
    if (typeof params !== "object" || "name" in params) {
      throw new ValidationError(
        "these weights get no name; saveWeightsForSampler(name) keeps them under one",
        {
          path: ["name"],
        },
      );
    }
    const { session } = this.#model;
    // Taken once: repeats of the request carry the same number.
    const samplingId = session.core.samplingIds.take();
    return this.#start("save_weights_and_get_sampling_client", options, async (work, startedAtMs) => {
      const saved = await this.#run(work, startedAtMs, {
        method: "TrainingClient.save_weights_and_get_sampling_client",
        operation: "save_weights_for_sampler",
        requestType: "SaveWeightsForSampler",
        requestName: "SaveWeightsForSamplerRequest",
        record: (seqId) => ({
          model_id: this.modelId,
          sampling_session_seq_id: samplingId,
          kind: params.kind,
          seq_id: seqId,
        }),
        resultName: "SaveWeightsForSamplerResponse",
      });
      if (saved.sampling_session_id === undefined) {
        throw new ResponseError("the service saved the weights and gave no sampling session for them");
      }
      return new SamplingClient(session, saved.sampling_session_id, {
        baseModel: this.#info?.model_data.model_name ?? this.#info?.model_name,
        tokenizerId: this.#info?.model_data.tokenizer_id,
      });
    });
  }

  /** Loads weights into this model, with a fresh optimizer. Many services take this as the first operation only. */
  loadState(
    path: string,
    params: LoadParams = {},
    options: CallOptions = {},
  ): ApiFuture<LoadWeightsResponse> {
    return this.#load("load_state", path, false, params, options);
  }

  /** Loads weights and optimizer state into this model, so that training goes on as if it had never stopped. */
  loadStateWithOptimizer(
    path: string,
    params: LoadParams = {},
    options: CallOptions = {},
  ): ApiFuture<LoadWeightsResponse> {
    return this.#load("load_state_with_optimizer", path, true, params, options);
  }

  /**
   * What the model is made of, as the service said when it was created.
   *
   * @param options.refresh - ask again. @defaultValue false
   * @throws UnsupportedByServerError when the server cannot say
   */
  async getInfo(
    options: CallOptions & { readonly refresh?: boolean | undefined } = {},
  ): Promise<GetInfoResponse> {
    if (this.#info !== undefined && options.refresh !== true) return this.#info;
    this.#info = await this.#life
      .start("get_info", options, (work) =>
        readModelInfo(this.#model.session, this.modelId, "TrainingClient.get_info", work.signal),
      )
      .result();
    return this.#info;
  }

  /** The model's tokenizer. @throws ValidationError when it is not on this machine, or a server elsewhere names its directory, and none was given */
  async getTokenizer(options: CallOptions = {}): Promise<Tokenizer> {
    const info = await this.getInfo(options);
    const modelName = info.model_data.model_name ?? info.model_name ?? this.modelId;
    const { tokenizer, baseUrl } = this.#model.session.core.settings;
    return modelTokenizer(tokenizer, { modelName, tokenizerId: info.model_data.tokenizer_id }, baseUrl);
  }

  /** Ends this client's operations with `ClosedError` and takes no more. The model stays on the service. */
  async close(): Promise<void> {
    this.#life.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #pass(
    method: "forward" | "forward_backward",
    data: readonly DatumLike[],
    lossFn: LossFnType,
    lossFnConfig: LossFnConfig | undefined,
    options: CallOptions,
  ): ApiFuture<PassOutput> {
    this.#life.checkOpen();
    checkLossName(lossFn);
    checkLossConfig(lossFnConfig);
    const prepared = prepareData(data);
    return this.#start(method, options, async (work, startedAtMs) => {
      const submissions = await this.#model.turns.runExclusive(work.signal, () =>
        sendPass(
          this.#model,
          {
            method: `TrainingClient.${method}`,
            data: prepared,
            lossFn,
            lossFnConfig,
            forwardOnly: method === "forward",
            startedAtMs,
          },
          work,
        ),
      );
      work.submitted();
      return combineOutputs(await passResults(submissions));
    });
  }

  #load(
    method: "load_state" | "load_state_with_optimizer",
    path: string,
    optimizer: boolean,
    params: LoadParams,
    options: CallOptions,
  ): ApiFuture<LoadWeightsResponse> {
    this.#life.checkOpen();
    checkTrainingPath(path);
    return this.#single(options, {
      method: `TrainingClient.${method}`,
      operation: "load_weights",
      requestType: "LoadWeights",
      requestName: "LoadWeightsRequest",
      record: (seqId) => ({ ...params, model_id: this.modelId, seq_id: seqId, path, optimizer }),
      resultName: "LoadWeightsResponse",
    });
  }

  #single<Sent extends RequestName, Name extends FutureResultName>(
    options: CallOptions,
    request: SingleRequest<Sent, Name>,
  ): ApiFuture<Records[Name]> {
    const name = request.method.replace("TrainingClient.", "");
    return this.#start(name, options, (work, startedAtMs) => this.#run(work, startedAtMs, request));
  }

  #run<Sent extends RequestName, Name extends FutureResultName>(
    work: FutureWork,
    startedAtMs: number,
    request: SingleRequest<Sent, Name>,
  ): Promise<Records[Name]> {
    return runSingleRequest(this.#model, request, work, startedAtMs);
  }

  #start<T>(
    method: string,
    options: CallOptions,
    run: (work: FutureWork, startedAtMs: number) => Promise<T>,
  ): ApiFuture<T> {
    const startedAtMs = this.#model.session.core.settings.clock.monotonic();
    return this.#life.start(method, options, (work) => run(work, startedAtMs));
  }
}
