import { checkKnownNames, checkObject, describeKind, ValidationError } from "@tinkex/base";
import { checkSamplerPath } from "../training/checkpoints/checkpoint-kinds.js";

/** The weights that a sampling client samples from: saved ones, or a base model. */
export interface SamplingClientParams {
  /** A `tinker://` path. */
  readonly model_path?: string | undefined;
  readonly base_model?: string | undefined;
  /** Have the service record stability information with every sample that does not say otherwise. @defaultValue false */
  readonly record_stability_info?: boolean | undefined;
}

const SAMPLING_CLIENT_PARAMS = { model_path: true, base_model: true, record_stability_info: true } as const;

/** Checks what a sampling client is to sample from. @throws ValidationError */
export function checkSamplingClientParams(params: SamplingClientParams): SamplingClientParams {
  checkObject(params, "params", '{ base_model: "Qwen/Qwen3-8B" }');
  checkKnownNames(params, SAMPLING_CLIENT_PARAMS, "createSamplingClient");
  const { model_path, base_model, record_stability_info } = params;
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
  if (record_stability_info !== undefined && typeof record_stability_info !== "boolean") {
    const got = describeKind(record_stability_info);
    throw new ValidationError(`createSamplingClient: record_stability_info must be a boolean, got ${got}`, {
      path: ["record_stability_info"],
    });
  }
  return params;
}
