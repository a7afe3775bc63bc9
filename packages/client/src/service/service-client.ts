import { describeValue, unknownNames, ValidationError } from "@tinkex/base";
import type { LossGraph } from "@tinkex/tensor/loss-graph";
import {
  ENDPOINTS,
  type EndpointName,
  type GetServerCapabilitiesResponse,
  isEndpointName,
  type PathParametersOf,
  type RequestOf,
  type ResponseOf,
} from "@tinkex/types";
import { AdminCalls } from "../admin/admin-calls.js";
import type { EventHub } from "../events/event-hub.js";
import type { ApiFuture } from "../future/api-future.js";
import type { OperationContext } from "../future/operation-context.js";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { consoleUrls } from "../rest/console-urls.js";
import { COPY_OPTIONS, type CopyOptions, checkCopy, copyWeights } from "../rest/copy-weights.js";
import { readPath, startOnPath } from "../rest/given-path.js";
import { RestCalls } from "../rest/rest-calls.js";
import type { RestContext } from "../rest/rest-context.js";
import { createSampler } from "../sampling/create-sampler.js";
import {
  checkSamplerHandle,
  FROM_HANDLE_OPTIONS,
  type FromHandleOptions,
  type SamplerHandle,
} from "../sampling/sampler-handle.js";
import { checkSamplerOptions } from "../sampling/sampler-options.js";
import { type SamplingClient, samplingClientOf } from "../sampling/sampling-client.js";
import type { EndpointCallOptions } from "../session/api-calls.js";
import { loadModel } from "../training/checkpoints/load-model.js";
import { clientOf, createModel, type ModelCreation } from "../training/create-model.js";
import {
  CREATE_CUSTOM_LOSS_OPTIONS,
  type CreateCustomLossOptions,
  checkCustomLoss,
  createCustomLoss,
} from "../training/loss-graph/create-custom-loss.js";
import type { LossHandle } from "../training/loss-graph/loss-handle.js";
import type { TrainedModel } from "../training/trained-model.js";
import type { TrainingClient } from "../training/training-client.js";
import { type CloseOptions, checkClose } from "./close-options.js";
import {
  checkPatience,
  FROM_STATE_OPTIONS,
  type FromStateOptions,
  modelSource,
  RESUME_OPTIONS,
  type ResumeOptions,
} from "./from-state-options.js";
import { type LoraTrainingParams, newLoraModel } from "./lora-model.js";
import { restContextOf } from "./rest-context-of.js";
import { type ResumePoint, resumePathOf } from "./resume-from.js";
import { checkSamplingClientParams, type SamplingClientParams } from "./sampling-client-params.js";
import type { ServiceClientOptions } from "./service-client-options.js";
import { ServiceCore } from "./service-core.js";
import type { ServiceStats } from "./service-stats.js";
import { resolveSettings } from "./settings.js";

/** Gives the hub of a service client's events. */
export let eventHubOf: (service: ServiceClient) => EventHub;

const ENDPOINT_OPTIONS = { ...CALL_OPTIONS, path: true, query: true, unchecked: true } as const;

/**
 * The way in: makes training and sampling clients. All that one service client makes belongs to one session, which opens when it
 * is first needed. Constructing it sends nothing.
 *
 * @example
 * await using service = new ServiceClient();
 * const training = await service.createLoraTrainingClient({ base_model: "Qwen/Qwen3-8B", rank: 32 });
 */
export class ServiceClient {
  static {
    eventHubOf = (service) => service.#core.events;
  }

  /** Training runs, checkpoints, sessions and samplers. No call of it needs a session. */
  readonly rest: RestCalls;
  /** Billing, storage and the audit log, for administrators. No call of it needs a session. */
  readonly admin: AdminCalls;
  readonly #core: ServiceCore;
  readonly #context: RestContext;
  #closed: Promise<void> | undefined;

  /** @throws ValidationError for options that cannot work */
  constructor(options: ServiceClientOptions = {}) {
    const settings = resolveSettings(options);
    const core = new ServiceCore(settings);
    this.#core = core;
    this.#context = restContextOf(core, settings, core.lifecycle);
    const restLifecycle = core.lifecycle.child("RestClient", "the service client");
    this.rest = new RestCalls(restContextOf(core, settings, restLifecycle));
    const adminLifecycle = core.lifecycle.child("AdminClient", "the service client");
    this.admin = new AdminCalls(restContextOf(core, settings, adminLifecycle));
  }

  /** The id that all messages of this client carry: see {@link events}. */
  get clientId(): string {
    return this.#core.events.identity.clientId;
  }

  /** Counts what is under way and what waits, at this moment: calls, requests, polls, bytes and connections. */
  stats(): ServiceStats {
    return this.#core.stats();
  }

  /**
   * Opens the session now: tells early whether the service is there and takes the key.
   *
   * @throws ConnectionError when nobody is there; ApiStatusError when the service refuses, e.g. `authentication_failed`
   */
  async connect(options: CallOptions = {}): Promise<void> {
    const { lifecycle } = this.#core;
    lifecycle.checkCall("connect", options);
    await lifecycle.start("connect", options, () => this.#core.channel());
  }

  /**
   * Lists the models the service offers. Needs no session.
   *
   * @throws ConnectionError, ApiStatusError
   */
  async getServerCapabilities(options: CallOptions = {}): Promise<GetServerCapabilitiesResponse> {
    const { lifecycle } = this.#core;
    lifecycle.checkCall("getServerCapabilities", options);
    return lifecycle.start("getServerCapabilities", options, async (context) => {
      const { calls } = await this.#context.server();
      return calls.call("get_server_capabilities", undefined, context);
    });
  }

  /**
   * Calls an endpoint of the API as it stands in the table `ENDPOINTS` of `@tinkex/types`: for what has no method here yet. An
   * operation is answered by the ticket for its result, which `retrieve_future` gives. Needs no session.
   *
   * @param endpoint - the endpoint's name, e.g. `weights_info`
   * @param record - its body; `undefined` where it takes none
   * @param options - `path` for the `{name}` parts of its path, `query`, and `unchecked: true` to send fields, names of losses
   *   and sampling parameters that this package does not know
   * @returns the record of the answer; `undefined` where the answer has no meaning
   * @throws ValidationError before anything is sent, for an endpoint or a record that is not known
   *
   * @example
   * const info = await service.call("weights_info", { tinker_path: "tinker://run/weights/first" });
   * const run = await service.call("get_training_run", undefined, { path: { run: "run" } });
   */
  async call<Name extends EndpointName>(
    endpoint: Name,
    record: RequestOf<Name>,
    ...rest: unknown extends PathParametersOf<Name>
      ? [options?: EndpointCallOptions<Name>]
      : [options: EndpointCallOptions<Name>]
  ): Promise<ResponseOf<Name>> {
    const { lifecycle } = this.#core;
    if (typeof endpoint !== "string" || !isEndpointName(endpoint)) {
      const advice = unknownNames(
        [typeof endpoint === "string" ? endpoint : describeValue(endpoint)],
        Object.keys(ENDPOINTS),
      ).replace("unknown field", "unknown endpoint");
      throw new ValidationError(`service.call: ${advice}`, { path: ["endpoint"] });
    }
    // No options at all are options too, if the path has no parts.
    const given = (rest[0] === undefined ? {} : rest[0]) as EndpointCallOptions<Name>;
    lifecycle.checkCall("service.call", given as CallOptions, ENDPOINT_OPTIONS);
    return lifecycle.start("call", given, async (context) => {
      const { calls } = await this.#context.server();
      context.sending();
      const { onBehalfOf, signal } = context;
      return calls.call(endpoint, record, Object.assign({}, given, { onBehalfOf, signal }));
    });
  }

  /**
   * Makes a training client of a new model: the base model with a fresh LoRA adapter.
   *
   * @param params - `base_model`, the adapter's `rank` (32 by default), `seed`, `train_mlp`, `train_attn`, `train_unembed`, and
   *   what is kept with the run (`user_metadata`)
   * @throws ValidationError at the call, before anything is sent
   */
  createLoraTrainingClient(params: LoraTrainingParams, options: CallOptions = {}): ApiFuture<TrainingClient> {
    const model = newLoraModel(params);
    this.#core.lifecycle.checkCall("createLoraTrainingClient", options);
    return this.#makeModel(
      "createLoraTrainingClient",
      options,
      (creation) => createModel(creation, model),
      model.base_model,
    );
  }

  /**
   * Makes a training client of a new model with a checkpoint's weights and a fresh optimizer.
   *
   * @param path - `tinker://<run>/weights/<name>`, as `saveState` gives it
   * @returns a future, which fails with ApiStatusError `not_found` when the checkpoint is not there
   * @throws ValidationError at the call, for a path that cannot be trained on
   */
  createTrainingClientFromState(path: string, options: FromStateOptions = {}): ApiFuture<TrainingClient> {
    this.#core.lifecycle.checkCall("createTrainingClientFromState", options, FROM_STATE_OPTIONS);
    return this.#loadModel("createTrainingClientFromState", path, false, options);
  }

  /**
   * As {@link createTrainingClientFromState}, with the optimizer's state: training goes on as if it had never stopped.
   *
   * @throws ValidationError at the call, for a path that cannot be trained on
   */
  createTrainingClientFromStateWithOptimizer(
    path: string,
    options: Omit<FromStateOptions, "optimizer_config"> = {},
  ): ApiFuture<TrainingClient> {
    const { optimizer_config: _, ...known } = FROM_STATE_OPTIONS;
    this.#core.lifecycle.checkCall("createTrainingClientFromStateWithOptimizer", options, known);
    return this.#loadModel("createTrainingClientFromStateWithOptimizer", path, true, options);
  }

  /**
   * Goes on from a checkpoint after the service was restarted, or lost the session: as {@link createTrainingClientFromStateWithOptimizer},
   * in a new session where the old one is lost, and again and again while the service is away.
   *
   * @param path - `tinker://<run>/weights/<name>`; or the `SessionLostError` or `SequenceBrokenError` of a client, which names its last one
   * @param options - `patienceMs`: milliseconds for which it tries while the service is away, 900,000 by default
   * @returns a future of a new client; the old one takes no more
   * @throws ValidationError at the call, also for an error that names no checkpoint
   *
   * @example
   * const { path } = await training.saveState("step-100");
   * const resumed = await service.resumeFrom(path);
   */
  resumeFrom(path: ResumePoint, options: ResumeOptions = {}): ApiFuture<TrainingClient> {
    const core = this.#core;
    core.lifecycle.checkCall("resumeFrom", options, RESUME_OPTIONS);
    const source = modelSource("resumeFrom", resumePathOf(path), true, options);
    const patienceMs = checkPatience(options.patienceMs);
    return core.lifecycle.start("resumeFrom", options, (context) =>
      core.untilServiceIsBack(context.signal, patienceMs, () =>
        this.#makeIn(core.takeModelId(), context, (creation) => loadModel(creation, source)),
      ),
    );
  }

  /**
   * Makes a sampling client of saved weights, or of a base model as it is.
   *
   * @param params - `model_path` (`tinker://<run>/sampler_weights/<name>`) or `base_model`; `record_stability_info`; `retry`, the limits
   *   on making failed samples again
   * @returns a future, which fails with ApiStatusError `not_found` when the weights are not there
   * @throws ValidationError at the call, before anything is sent
   *
   * @example
   * const sampler = await service.createSamplingClient({ base_model: "Qwen/Qwen3-8B", retry: { maxRetries: 5 } });
   */
  createSamplingClient(params: SamplingClientParams, options: CallOptions = {}): ApiFuture<SamplingClient> {
    const { lifecycle } = this.#core;
    lifecycle.checkCall("createSamplingClient", options);
    const { model_path, base_model, ...sampling } = checkSamplingClientParams(params);
    const samplingId = this.#core.takeSamplingId();
    return lifecycle.start("createSamplingClient", options, (context) =>
      this.#core.inSession(context.signal, (channel) =>
        createSampler(channel, { model_path, base_model }, samplingId, context, sampling),
      ),
    );
  }

  /**
   * Makes a client of a sampler that a client in another worker or process has made, in the same session: any number of them may sample
   * at the same time. Closing it leaves sampler and session as they are.
   *
   * @param handle - as `sampler.toHandle()` gave it there; the key is that of this service client
   * @param options - `retry`: the limits on making failed samples again, which a handle does not hold
   * @throws ValidationError at the call, for what is no handle
   *
   * @example
   * parentPort.on("message", async (handle) => {
   *   const sampler = await service.createSamplingClientFromHandle(handle);
   * });
   */
  createSamplingClientFromHandle(
    handle: SamplerHandle,
    options: FromHandleOptions = {},
  ): ApiFuture<SamplingClient> {
    const core = this.#core;
    core.lifecycle.checkCall("createSamplingClientFromHandle", options, FROM_HANDLE_OPTIONS);
    checkSamplerOptions("createSamplingClientFromHandle", options);
    const given = checkSamplerHandle("createSamplingClientFromHandle", handle);
    return core.lifecycle.start("createSamplingClientFromHandle", options, async () =>
      samplingClientOf(await core.channelOf(given.session_id), given.sampling_session_id, {
        modelName: given.base_model,
        tokenizerId: given.tokenizer_id,
        recordsStability: given.record_stability_info,
        retry: options.retry,
        isCopy: true,
      }),
    );
  }

  /**
   * Creates a loss of a graph for `forwardBackwardCustom` of this session's training clients. A service that runs such losses is
   * sent the graph once, and then runs each pass in one request; for others the loss runs here, with the same results.
   *
   * @param graph - built by `lossGraph`, or its records written by hand
   * @returns a future of the handle; it fails with ValidationError for a loss that the session has created already
   * @throws ValidationError at the call, naming node and operation
   *
   * @example
   * const nll = lossGraph("nll", { logprobs: 1, weights: 1 }, ({ logprobs, weights }) => ({
   *   loss: logprobs.mul(weights).sum().neg(),
   * }));
   * const handle = await service.createCustomLoss(nll);
   * const { metrics } = await training.forwardBackwardCustom(data, handle);
   */
  createCustomLoss(graph: LossGraph, options: CreateCustomLossOptions = {}): ApiFuture<LossHandle> {
    const { lifecycle } = this.#core;
    lifecycle.checkCall("createCustomLoss", options, CREATE_CUSTOM_LOSS_OPTIONS);
    const loss = checkCustomLoss(graph, options.unchecked === true);
    return lifecycle.start("createCustomLoss", options, (context) =>
      this.#core.inSession(context.signal, (channel) => createCustomLoss(channel, loss, context)),
    );
  }

  /**
   * Copies weights into this client's project (`projectId`, `TINKER_PROJECT_ID`). Nothing is stored twice; the copy is in a new run
   * that cannot be trained. `rest.copyWeights` copies to any project.
   *
   * @returns the path of the copy
   */
  copyWeights(tinker_path: string, options: CopyOptions = {}): ApiFuture<string> {
    this.#core.lifecycle.checkCall("copyWeights", options, COPY_OPTIONS);
    const copy = checkCopy("copyWeights", options, this.#context.projectId);
    const given = readPath("copyWeights", tinker_path);
    return startOnPath(this.#context, "copyWeights", given, options, (request, path) =>
      copyWeights(request, path, copy),
    );
  }

  /** Gives the console's page of this client's session; of all sessions before it is open. Of a run, see `consoleUrls.trainingRun`. */
  async getConsoleUrl(): Promise<string> {
    const channel = await this.#core.openedChannel?.catch(() => undefined);
    return channel === undefined ? consoleUrls.sessions() : consoleUrls.session(channel.session.id);
  }

  /**
   * Tells the service that the session is over, ends what is under way with `ClosedError`, and lets all connections go. Further
   * calls do nothing.
   *
   * @param options - `status` (`success` by default, `errored` or `interrupted`) and `detail`, as the service is told them
   * @throws ValidationError at the call; a service that cannot be told is logged
   */
  close(options: CloseOptions = {}): Promise<void> {
    // Wrong options are refused by a client that is closed already, too.
    const request = checkClose(options);
    this.#closed ??= this.#core.close(request);
    return this.#closed;
  }

  /** As `close()`. Why a block ended is not known here, so the session counts as a success; call `close` to say otherwise. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #loadModel(
    method: string,
    path: string,
    hasOptimizer: boolean,
    options: FromStateOptions,
  ): ApiFuture<TrainingClient> {
    const source = modelSource(method, path, hasOptimizer, options);
    return this.#makeModel(method, options, (creation) => loadModel(creation, source));
  }

  #makeModel(
    method: string,
    options: CallOptions,
    make: (creation: ModelCreation) => Promise<TrainedModel>,
    asked?: string,
  ): ApiFuture<TrainingClient> {
    const modelSeqId = this.#core.takeModelId();
    return this.#core.lifecycle.start(method, options, (context) =>
      this.#makeIn(modelSeqId, context, make, asked),
    );
  }

  #makeIn(
    modelSeqId: number,
    context: OperationContext,
    make: (creation: ModelCreation) => Promise<TrainedModel>,
    asked?: string,
  ): Promise<TrainingClient> {
    return this.#core.inSession(context.signal, async (channel) => {
      const creation: ModelCreation = { channel, modelSeqId, context };
      return clientOf(await make(creation), creation, asked);
    });
  }
}
