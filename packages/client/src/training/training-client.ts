import type { Tokenizer } from "@tinkex/base";
import type { LossGraph } from "@tinkex/tensor/loss-graph";
import type {
  AdamParams,
  CustomLoss,
  GetInfoResponse,
  LoadWeightsResponse,
  LossFnType,
  OptimizerParams,
  OptimStepResponse,
  SaveWeightsExternalResponse,
  SaveWeightsResponse,
} from "@tinkex/types";
import { describePass, describeSave, describeStep } from "../events/describe-work.js";
import type { ApiFuture } from "../future/api-future.js";
import type { ClientLifecycle } from "../future/client-lifecycle.js";
import type { OperationContext } from "../future/operation-context.js";
import type { CallOptions } from "../inputs/call-options.js";
import { checkSamplerOptions } from "../sampling/sampler-options.js";
import { type SamplingClient, samplingClientOf } from "../sampling/sampling-client.js";
import { checkSamplerPath, checkTrainingPath } from "./checkpoints/checkpoint-kinds.js";
import {
  type NamedSamplerWeights,
  runLoad,
  runSamplerSave,
  runSamplingSave,
  runSave,
} from "./checkpoints/run-save.js";
import {
  checkSave,
  EXTERNAL_SAVE_OPTIONS,
  type ExternalSaveOptions,
  refuseName,
  SAMPLER_SAVE_OPTIONS,
  SAVE_OPTIONS,
  type SamplerSaveOptions,
  type SaveOptions,
} from "./checkpoints/save-options.js";
import { customPass } from "./custom-pass.js";
import {
  CREATE_CUSTOM_LOSS_OPTIONS,
  type CreateCustomLossOptions,
  checkCustomLoss,
  createCustomLoss,
} from "./loss-graph/create-custom-loss.js";
import type { LossHandle } from "./loss-graph/loss-handle.js";
import { modelNameOf, readModelInfo, unloadModel } from "./model-info.js";
import type { PassOutput } from "./passes/combine-outputs.js";
import { type DatumLike, prepareData, preparePass } from "./passes/prepare-data.js";
import { runPass } from "./passes/training-pass.js";
import { samplerOf } from "./sampler-of.js";
import { metricsOfStep, runTrainStep, type TrainStepOutput } from "./train-step.js";
import { runOperation, type TrainedModel } from "./trained-model.js";
import {
  INFO_OPTIONS,
  type InfoOptions,
  LOAD_OPTIONS,
  type LoadOptions,
  optimizerFields,
  PASS_OPTIONS,
  type PassOptions,
  SAMPLING_SAVE_OPTIONS,
  type SamplingSaveOptions,
  TRAINED_SAMPLER_OPTIONS,
  type TrainedSamplerOptions,
} from "./training-options.js";

/** Makes the client of a model. @param info - the server's description of the model, if it could give one */
export let trainingClientOf: (model: TrainedModel, info: GetInfoResponse | undefined) => TrainingClient;

/**
 * Trains one model. Every method that returns an {@link ApiFuture} submits at once, in the order of the calls, and need not be
 * awaited before the next call: submit `forwardBackward` and `optimStep`, then await both.
 */
export class TrainingClient {
  static {
    trainingClientOf = (model, info) => new TrainingClient(model, info);
  }

  /** The model's id on the service; its training run has the same. */
  readonly modelId: string;
  readonly #model: TrainedModel;
  readonly #lifecycle: ClientLifecycle;
  #info: GetInfoResponse | undefined;

  private constructor(model: TrainedModel, info: GetInfoResponse | undefined) {
    this.modelId = model.id;
    this.#model = model;
    this.#info = info;
    const { lifecycle } = model.channel.environment;
    this.#lifecycle = lifecycle.child("TrainingClient", `the training client of ${model.id}`, {
      modelId: model.id,
      baseModel: modelNameOf(info),
    });
  }

  /**
   * Computes the gradients of the loss over `data`, and adds them to those since the last {@link optimStep}.
   *
   * Each datum has N positions: `model_input` is N tokens, and `target_tokens` (int64, `[N]`) is aligned to it: the token that
   * follows each position. Losses are SUMS over all tokens of all data, each times its weight: scale the weights for a mean.
   *
   * @param data - examples, at least one; the arrays in them must not change until the future's `submitted` resolves
   * @param lossFn - the loss, e.g. `cross_entropy` (reads `target_tokens` and `weights`, float32 `[N]`) or `ppo` (reads
   *   `target_tokens`, `logprobs` and `advantages`, float32 `[N]`)
   * @returns a future of the outputs: per datum `logprobs`, float32 `[N]`; `metrics` by `name:reduction`, e.g. `loss:sum`
   * @throws ValidationError at the call, before anything is sent, naming datum, key and index
   *
   * @example
   * const datum = { model_input: [1, 2, 3], loss_fn_inputs: { target_tokens: [2, 3, 4], weights: [0, 1, 1] } };
   * const { metrics } = await training.forwardBackward([datum], "cross_entropy", { timeoutMs: 60_000 });
   */
  forwardBackward(
    data: readonly DatumLike[],
    lossFn: LossFnType,
    options: PassOptions = {},
  ): ApiFuture<PassOutput> {
    this.#lifecycle.checkCall("forwardBackward", options, PASS_OPTIONS);
    return this.#pass("forwardBackward", data, lossFn, options);
  }

  /**
   * Computes losses and log-probabilities alone: as {@link forwardBackward}, without gradients.
   *
   * @returns a future of the outputs: per datum `logprobs`, float32 `[N]`; `metrics` by `name:reduction`
   * @throws ValidationError at the call, before anything is sent, naming datum, key and index
   */
  forward(data: readonly DatumLike[], lossFn: LossFnType, options: PassOptions = {}): ApiFuture<PassOutput> {
    this.#lifecycle.checkCall("forward", options, PASS_OPTIONS);
    return this.#pass("forward", data, lossFn, options);
  }

  /**
   * Computes the gradients of a loss of your own, from the log-probabilities of each datum's `target_tokens`. Takes two passes on
   * the service; operations called after it come after both.
   *
   * @param loss - is given the data and one `Float32Array` of log-probabilities per datum (`[N]`), and gives `{ loss, gradients,
   *   metrics? }`: the value, and per datum d loss / d logprobs, `[N]`; or the handle of a {@link createCustomLoss}, which the
   *   service runs in one pass where it can
   * @returns a future of the outputs; `metrics["loss:sum"]` is the value of your loss
   * @throws ValidationError at the call for a datum without `target_tokens`
   */
  forwardBackwardCustom(
    data: readonly DatumLike[],
    loss: CustomLoss | LossHandle,
    options: CallOptions = {},
  ): ApiFuture<PassOutput> {
    this.#lifecycle.checkCall("forwardBackwardCustom", options);
    const prepared = prepareData("forwardBackwardCustom", data);
    const describe = () => describePass<PassOutput>(prepared, "custom", ({ metrics }) => metrics);
    const run = customPass(this.#model, prepared, loss);
    return this.#lifecycle.start("forwardBackwardCustom", options, run, describe);
  }

  /** Creates a loss of a graph, as {@link ServiceClient.createCustomLoss} does, in this session. @throws ValidationError at the call */
  createCustomLoss(graph: LossGraph, options: CreateCustomLossOptions = {}): ApiFuture<LossHandle> {
    this.#lifecycle.checkCall("createCustomLoss", options, CREATE_CUSTOM_LOSS_OPTIONS);
    const loss = checkCustomLoss(graph, options.unchecked === true);
    return this.#lifecycle.start("createCustomLoss", options, (context) =>
      createCustomLoss(this.#model.channel, loss, context),
    );
  }

  /**
   * Takes one step of the optimizer with the gradients gathered so far, and clears them.
   *
   * @param params - of AdamW (`learning_rate`, `beta1`, …); with a `type`, of another family that the model was created with
   * @returns a future of the response, whose `metrics` may hold e.g. the norm of the gradients
   * @throws ValidationError at the call for a parameter out of its range
   */
  optimStep(
    params: AdamParams | OptimizerParams = {},
    options: CallOptions = {},
  ): ApiFuture<OptimStepResponse> {
    this.#lifecycle.checkCall("optimStep", options);
    const fields = optimizerFields("optimStep", params);
    const run = (context: OperationContext): Promise<OptimStepResponse> =>
      runOperation(this.#model, "optim_step", fields, context);
    return this.#lifecycle.start("optimStep", options, run, describeStep);
  }

  /**
   * Takes a whole training step: `forwardBackward` and `optimStep`, pipelined. Where the service refuses the pass, no step is taken.
   *
   * @param params - of the optimizer, as `optimStep` takes them
   * @returns a future of both results
   * @throws ValidationError at the call, before anything is sent
   *
   * @example
   * const { forwardBackward } = await training.trainStep(data, "cross_entropy", { learning_rate: 1e-4 });
   * console.log(lossOf(forwardBackward)?.value);
   */
  trainStep(
    data: readonly DatumLike[],
    lossFn: LossFnType,
    params: AdamParams | OptimizerParams = {},
    options: PassOptions = {},
  ): ApiFuture<TrainStepOutput> {
    this.#lifecycle.checkCall("trainStep", options, PASS_OPTIONS);
    const fields = optimizerFields("trainStep", params);
    const pass = preparePass("trainStep", data, lossFn, options, this.#model.channel.tensorMemory);
    const run = (context: OperationContext): Promise<TrainStepOutput> =>
      runTrainStep(this.#model, pass, fields, context);
    const describe = () => describePass(pass.data, pass.lossFn, metricsOfStep);
    return this.#lifecycle.start("trainStep", options, run, describe);
  }

  /**
   * Saves weights and optimizer state under a name; the result's `path` goes on training from there.
   *
   * @param name - without slashes
   * @param options - `ttl_seconds` until the service removes it (kept for ever by default), `overwrite`, `user_metadata`, `onConflict`
   * @returns a future of the response with the `path`; it fails with ApiStatusError `conflict` for a name that is taken
   * @throws ValidationError at the call
   */
  saveState(name: string, options: SaveOptions = {}): ApiFuture<SaveWeightsResponse> {
    this.#lifecycle.checkCall("saveState", options, SAVE_OPTIONS);
    checkSave("saveState", name, options, ["error", "reuse", "overwrite"]);
    const run = (context: OperationContext): Promise<SaveWeightsResponse> =>
      runSave(this.#model, name, options, context);
    return this.#lifecycle.start("saveState", options, run, () => describeSave("training"));
  }

  /**
   * Saves weights to sample from under a name; the result's `path` makes a sampling client.
   *
   * @param name - without slashes
   * @param options - `ttl_seconds` until the service removes them (kept for ever by default), `user_metadata`, `onConflict`
   * @returns a future of the response with the `path`; it fails with ApiStatusError `conflict` for a name that is taken
   * @throws ValidationError at the call
   */
  saveWeightsForSampler(name: string, options: SamplerSaveOptions = {}): ApiFuture<NamedSamplerWeights> {
    this.#lifecycle.checkCall("saveWeightsForSampler", options, SAMPLER_SAVE_OPTIONS);
    checkSave("saveWeightsForSampler", name, options, ["error", "reuse"]);
    const run = (context: OperationContext): Promise<NamedSamplerWeights> =>
      runSamplerSave(this.#model, name, options, context);
    return this.#lifecycle.start("saveWeightsForSampler", options, run, () => describeSave("sampler"));
  }

  /**
   * Makes a sampling client of the weights as they are at this point of the order of calls. The weights get no name and last as
   * long as the session.
   *
   * @throws ValidationError at the call, also for a name
   */
  saveWeightsAndGetSamplingClient(options: SamplingSaveOptions = {}): ApiFuture<SamplingClient> {
    refuseName(options);
    this.#lifecycle.checkCall("saveWeightsAndGetSamplingClient", options, SAMPLING_SAVE_OPTIONS);
    checkSamplerOptions("saveWeightsAndGetSamplingClient", options);
    // Taken once: repeats of the request carry the same number.
    const samplingId = this.#model.channel.environment.takeSamplingId();
    return this.#lifecycle.start("saveWeightsAndGetSamplingClient", options, async (context) => {
      const id = await runSamplingSave(this.#model, options.kind, samplingId, context);
      return samplingClientOf(this.#model.channel, id, {
        modelName: modelNameOf(this.#info),
        tokenizerId: this.#info?.model_data.tokenizer_id,
        recordsStability: options.record_stability_info,
        retry: options.retry,
      });
    });
  }

  /**
   * Loads weights into this model, with a fresh optimizer. Many services take this as the first operation only; else
   * `createTrainingClientFromState` of the service client makes a new model of them.
   *
   * @param path - `tinker://<run>/weights/<name>`, as `saveState` gives it
   * @throws ValidationError at the call, for a path that cannot be trained on
   */
  loadState(path: string, options: LoadOptions = {}): ApiFuture<LoadWeightsResponse> {
    this.#lifecycle.checkCall("loadState", options, LOAD_OPTIONS);
    return this.#load("loadState", path, false, options);
  }

  /**
   * Loads weights and optimizer state, to train on as if it had never stopped; else `createTrainingClientFromStateWithOptimizer`.
   *
   * @param path - `tinker://<run>/weights/<name>`, as `saveState` gives it
   * @throws ValidationError at the call, for a path that cannot be trained on
   */
  loadStateWithOptimizer(path: string, options: LoadOptions = {}): ApiFuture<LoadWeightsResponse> {
    this.#lifecycle.checkCall("loadStateWithOptimizer", options, LOAD_OPTIONS);
    return this.#load("loadStateWithOptimizer", path, true, options);
  }

  /**
   * Says what the model is made of, as the service did when it was created.
   *
   * @throws UnsupportedByServerError when the server cannot say; SessionLostError when it no longer knows the model
   */
  async getInfo(options: InfoOptions = {}): Promise<GetInfoResponse> {
    this.#lifecycle.checkCall("getInfo", options, INFO_OPTIONS);
    if (this.#info !== undefined && options.refresh !== true) return this.#info;
    return this.#lifecycle.start("getInfo", options, (context) => this.#readInfo(context));
  }

  /**
   * Gives the model's tokenizer, one object for each model: the option `tokenizer` of the service client, else what a server on this
   * machine names, else one of the Hugging Face hub (`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`, `HF_HUB_CACHE`).
   *
   * @throws ValidationError when it is not to be had, saying what to pass; ApiStatusError or ConnectionError of the hub;
   * UnsupportedByServerError when the server cannot say what the model is made of
   */
  async getTokenizer(options: CallOptions = {}): Promise<Tokenizer> {
    this.#lifecycle.checkCall("getTokenizer", options);
    const { session, environment } = this.#model.channel;
    return this.#lifecycle.start("getTokenizer", options, async (context) => {
      const info = this.#info ?? (await this.#readInfo(context));
      const tokenizerId = info.model_data.tokenizer_id;
      const model = { id: this.modelId, modelName: modelNameOf(info), tokenizerId };
      return environment.tokenizers.get(model, session, context);
    });
  }

  /**
   * Exports weights for use elsewhere, under a name; the result's `path` names files that `get_external_weights_urls` gives links to.
   *
   * @param name - without slashes
   * @param options - `ttl_seconds`; `age_encryption_recipients`, public keys that the files are encrypted for
   * @throws ValidationError at the call
   */
  saveWeightsExternal(
    name: string,
    options: ExternalSaveOptions = {},
  ): ApiFuture<SaveWeightsExternalResponse> {
    this.#lifecycle.checkCall("saveWeightsExternal", options, EXTERNAL_SAVE_OPTIONS);
    checkSave("saveWeightsExternal", name, options, ["error"]);
    const { ttl_seconds, age_encryption_recipients } = options;
    const fields = { path: name, ttl_seconds, age_encryption_recipients };
    const run = (context: OperationContext): Promise<SaveWeightsExternalResponse> =>
      runOperation(this.#model, "save_weights_external", fields, context);
    return this.#lifecycle.start("saveWeightsExternal", options, run, () => describeSave("external"));
  }

  /**
   * Makes a sampling client of weights that were saved for one.
   *
   * @param path - `tinker://<run>/sampler_weights/<name>`, as `saveWeightsForSampler` gives it
   * @throws ValidationError at the call
   */
  createSamplingClient(path: string, options: TrainedSamplerOptions = {}): ApiFuture<SamplingClient> {
    this.#lifecycle.checkCall("createSamplingClient", options, TRAINED_SAMPLER_OPTIONS);
    checkSamplerOptions("createSamplingClient", options);
    checkSamplerPath("createSamplingClient", path);
    const samplingId = this.#model.channel.environment.takeSamplingId();
    return this.#lifecycle.start("createSamplingClient", options, (context) =>
      samplerOf(this.#model, path, samplingId, context, options),
    );
  }

  /**
   * Frees the model on the service, once what was called before is submitted; what is not saved is lost. The client takes no more.
   *
   * @throws UnsupportedByServerError when the server has no such endpoint
   */
  unload(options: CallOptions = {}): ApiFuture<void> {
    this.#lifecycle.checkCall("unload", options);
    return this.#lifecycle.start("unload", options, (context) => unloadModel(this.#model, context));
  }

  /** Ends this client's operations with `ClosedError` and takes no more. The model stays on the service. */
  async close(): Promise<void> {
    this.#lifecycle.close();
    this.#model.leaveSession();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #readInfo(context: OperationContext): Promise<GetInfoResponse> {
    this.#info = await readModelInfo(this.#model, context);
    return this.#info;
  }

  #pass(
    method: "forward" | "forwardBackward",
    data: readonly DatumLike[],
    lossFn: LossFnType,
    options: PassOptions,
  ): ApiFuture<PassOutput> {
    const pass = preparePass(method, data, lossFn, options, this.#model.channel.tensorMemory);
    const run = (context: OperationContext): Promise<PassOutput> => runPass(this.#model, pass, context);
    const describe = () => describePass<PassOutput>(pass.data, pass.lossFn, ({ metrics }) => metrics);
    return this.#lifecycle.start(method, options, run, describe);
  }

  #load(
    name: "loadState" | "loadStateWithOptimizer",
    path: string,
    hasOptimizer: boolean,
    options: LoadOptions,
  ): ApiFuture<LoadWeightsResponse> {
    checkTrainingPath(name, path);
    return this.#lifecycle.start(name, options, (context) =>
      runLoad(this.#model, path, hasOptimizer, options, context),
    );
  }
}
