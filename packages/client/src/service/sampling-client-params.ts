import { checkKnownNames, checkObject, describeKind, ValidationError } from "@tinkex/base";
import { checkSamplerOptions, SAMPLER_OPTIONS, type SamplerOptions } from "../sampling/sampler-options.js";
import { checkSamplerPath } from "../training/checkpoints/checkpoint-kinds.js";

/** The weights that a sampling client samples from: saved ones, or a base model. */
export interface SamplingClientParams extends SamplerOptions {
  /** A `tinker://` path. */
  readonly model_path?: string | undefined;
  /** Name of a model that the service offers, e.g. `Qwen/Qwen3-8B`. */
  readonly base_model?: string | undefined;
}

const SAMPLING_CLIENT_PARAMS = { model_path: true, base_model: true, ...SAMPLER_OPTIONS } as const;

/** Checks what a sampling client is to sample from. @throws ValidationError */
export function checkSamplingClientParams(params: SamplingClientParams): SamplingClientParams {
  checkObject(params, "createSamplingClient: params", '{ base_model: "Qwen/Qwen3-8B" }');
  checkKnownNames(params, SAMPLING_CLIENT_PARAMS, "createSamplingClient");
  const { model_path, base_model } = params;
  if (!model_path && !base_model) {
    throw new ValidationError(
      "createSamplingClient: model_path or base_model must be given, to have something to sample from",
      { path: ["model_path"] },
    );
  }
  if (model_path !== undefined) checkSamplerPath("createSamplingClient", model_path);
  if (base_model !== undefined && typeof base_model !== "string") {
    throw new ValidationError(
      `createSamplingClient: base_model must be a string, got ${describeKind(base_model)}`,
      { path: ["base_model"] },
    );
  }
  checkSamplerOptions("createSamplingClient", params);
  return params;
}
