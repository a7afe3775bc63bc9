import { ValidationError } from "@tinkex/base";
import {
  type CreateModelRequest,
  checkSent,
  type FinishReason,
  type GetServerCapabilitiesResponse,
  type LoadWeightsRequest,
  LoraConfig,
  loraConfigSchema,
} from "@tinkex/types";
import { decodeJsonResponse } from "@tinkex/wire";
import type { ApiFuture } from "../future/api-future.js";
import { createSampler } from "../sampling/create-sampler.js";
import type { SamplingClient } from "../sampling/sampling-client.js";
import { finishSession } from "../session/finish-session.js";
import { methodHeaders, type SdkMethod } from "../session/sdk-method.js";
import { checkSamplerPath, checkTrainingPath } from "../training/checkpoints/checkpoint-kinds.js";
import { loadModel, type ModelSource } from "../training/checkpoints/load-model.js";
import { clientOf, createModel, type ModelCreation, type NewModel } from "../training/create-model.js";
import type { TrainedModel } from "../training/trained-model.js";
import type { TrainingClient } from "../training/training-client.js";
import type { CallOptions } from "./call-options.js";
import { checkObject } from "./check-object.js";
import type { ServiceClientOptions } from "./service-client-options.js";
import { ServiceCore } from "./service-core.js";
import { resolveSettings } from "./settings.js";

/** A new model: its base, the adapter, and the optimizer. */
export interface LoraTrainingParams
  extends Pick<CreateModelRequest, "base_model" | "user_metadata" | "optimizer_config">,
    Partial<LoraConfig> {}

/** What a training client made from a checkpoint may have of its own. */
export type FromStateParams = Pick<
  LoadWeightsRequest,
  "base_model" | "user_metadata" | "optimizer_config" | "weights_access_token"
>;

/** What a sampling client samples from: saved weights, or a base model. */
export interface SamplingClientParams {
  /** A `tinker://` path. */
  readonly model_path?: string | undefined;
  readonly base_model?: string | undefined;
}

/** How a service client is closed. */
export interface CloseOptions {
  /** What the service is told of the session. @defaultValue `success` */
  readonly status?: FinishReason | undefined;
  /** Free text beside it. */
  readonly detail?: string | undefined;
}

const FINISH_REASONS: readonly FinishReason[] = ["success", "errored", "interrupted"];

/**
 * The way in: makes training and sampling clients. All that one service client makes belongs to one session, which opens when it
 * is first needed. Constructing it sends nothing.
 *
 * @example
 * await using service = new ServiceClient();
 * const training = await service.createLoraTrainingClient({ base_model: "Qwen/Qwen3-8B", rank: 32 });
 */
export class ServiceClient {
  readonly #core: ServiceCore;
  #closed: Promise<void> | undefined;

  /** @throws ValidationError for options that cannot work */
  constructor(options: ServiceClientOptions = {}) {
    this.#core = new ServiceCore(resolveSettings(options));
  }

  /** Opens the session now: tells early whether the service is there and takes the key. */
  async connect(options: CallOptions = {}): Promise<void> {
    this.#core.checkOpen();
    await this.#core.start("connect", options, () => this.#core.session()).result();
  }

  /** The models the service offers. Needs no session. */
  async getServerCapabilities(options: CallOptions = {}): Promise<GetServerCapabilitiesResponse> {
    this.#core.checkOpen();
    const { sdkVersion } = this.#core.settings;
    return this.#core
      .start("get_server_capabilities", options, async (work) => {
        await this.#core.server();
        const response = await this.#core.transport.call({
          operation: "get_server_capabilities",
          headers: methodHeaders("ServiceClient.get_server_capabilities", sdkVersion),
          signal: work.signal,
        });
        return decodeJsonResponse("GetServerCapabilitiesResponse", response.body);
      })
      .result();
  }

  /**
   * A training client of a new model: the base model with a fresh LoRA adapter.
   *
   * @param params.rank - dimension of the adapter. @defaultValue 32
   * @throws ValidationError at the call, before anything is sent
   */
  createLoraTrainingClient(params: LoraTrainingParams, options: CallOptions = {}): ApiFuture<TrainingClient> {
    checkObject(params, "params", '{ base_model: "Qwen/Qwen3-8B", rank: 32 }');
    const {
      base_model,
      user_metadata,
      optimizer_config,
      rank = LoraConfig.defaults.rank,
      ...adapter
    } = params;
    if (typeof base_model !== "string" || base_model === "") {
      throw new ValidationError(
        "base_model is missing: name a model, e.g. one that getServerCapabilities() lists",
        {
          path: ["base_model"],
        },
      );
    }
    const { train_unembed = true, train_mlp = true, train_attn = true } = adapter;
    const lora_config = checkSent(
      loraConfigSchema,
      { ...adapter, rank, train_unembed, train_mlp, train_attn },
      "createLoraTrainingClient",
    );
    const model: NewModel = { base_model, user_metadata, optimizer_config, lora_config };
    return this.#makeModel("create_lora_training_client", options, (creation) =>
      createModel(creation, model),
    );
  }

  /**
   * A training client of a new model with a checkpoint's weights and a fresh optimizer.
   *
   * @param path - `tinker://<run>/weights/<name>`, as `saveState` gives it
   */
  createTrainingClientFromState(
    path: string,
    params: FromStateParams = {},
    options: CallOptions = {},
  ): ApiFuture<TrainingClient> {
    return this.#loadModel(
      "create_training_client_from_state",
      { ...params, path, optimizer: false },
      options,
    );
  }

  /** As {@link createTrainingClientFromState}, with the optimizer's state: training goes on as if it had never stopped. */
  createTrainingClientFromStateWithOptimizer(
    path: string,
    params: Omit<FromStateParams, "optimizer_config"> = {},
    options: CallOptions = {},
  ): ApiFuture<TrainingClient> {
    const source = { ...params, path, optimizer: true };
    return this.#loadModel("create_training_client_from_state_with_optimizer", source, options);
  }

  /** A sampling client of saved weights, or of a base model as it is. */
  createSamplingClient(params: SamplingClientParams, options: CallOptions = {}): ApiFuture<SamplingClient> {
    this.#core.checkOpen();
    checkObject(params, "params", '{ base_model: "Qwen/Qwen3-8B" }');
    const { model_path, base_model } = params;
    if (!model_path && !base_model) {
      throw new ValidationError("give model_path or base_model: there is nothing to sample from", {
        path: ["model_path"],
      });
    }
    if (model_path !== undefined) checkSamplerPath(model_path);
    const samplingId = this.#core.samplingIds.take();
    return this.#core.start("create_sampling_client", options, async (work) => {
      const session = await this.#core.session();
      return createSampler(session, { model_path, base_model }, samplingId, work);
    });
  }

  /**
   * Tells the service that the session is over, ends what is under way with `ClosedError`, and lets all connections go. Further
   * calls do nothing.
   */
  close(options: CloseOptions = {}): Promise<void> {
    const { status = "success" } = options;
    if (!FINISH_REASONS.includes(status)) {
      throw new ValidationError(`status must be one of ${FINISH_REASONS.join(", ")}, got ${String(status)}`, {
        path: ["status"],
      });
    }
    this.#closed ??= this.#close(status, options.detail);
    return this.#closed;
  }

  /** As `close()`. Why a block ended is not known here, so the session counts as a success; call `close` to say otherwise. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(status: FinishReason, detail: string | undefined): Promise<void> {
    const core = this.#core;
    const opened = core.openedSession;
    core.end();
    try {
      if (opened !== undefined) await finishSession(opened, { reason: { type: status }, detail });
    } finally {
      await core.transport.close();
    }
  }

  #loadModel(method: string, source: ModelSource, options: CallOptions): ApiFuture<TrainingClient> {
    checkTrainingPath(source.path);
    return this.#makeModel(method, options, (creation) => loadModel(creation, source));
  }

  #makeModel(
    method: string,
    options: CallOptions,
    make: (creation: ModelCreation) => Promise<TrainedModel>,
  ): ApiFuture<TrainingClient> {
    const core = this.#core;
    core.checkOpen();
    const modelSeqId = core.modelIds.take();
    const startedAtMs = core.settings.clock.monotonic();
    const sdkMethod: SdkMethod = `ServiceClient.${method}`;
    return core.start(method, options, async (work) => {
      const session = await core.session();
      const creation: ModelCreation = { session, modelSeqId, method: sdkMethod, work, startedAtMs };
      return clientOf(await make(creation), creation);
    });
  }
}
