import { checkObject } from "@tinkex/base";
import {
  type AdamParams,
  adamParamsSchema,
  checkSent,
  type LossFnConfig,
  type OptimizerParams,
  optimizerParamsSchema,
  type RequestOf,
  type SamplingClientKind,
} from "@tinkex/types";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";
import { SAMPLER_OPTIONS, type SamplerOptions } from "../sampling/sampler-options.js";

/** Options of a pass. */
export interface PassOptions extends CallOptions {
  /** Options of the loss by name, e.g. `{ clip_low_threshold: 0.8 }`. */
  readonly loss_fn_config?: LossFnConfig | undefined;
  /** Send a loss that this package does not know, and whatever tensors it reads. @defaultValue false */
  readonly unchecked?: boolean | undefined;
  /** Fail the call when a metric cannot be joined from the requests it travelled in, instead of leaving it out. @defaultValue false */
  readonly strictMetrics?: boolean | undefined;
}

/** Options of loading weights. */
export interface LoadOptions extends CallOptions {
  /** A secret that the checkpoint's owner gave out. */
  readonly weights_access_token?: string | undefined;
}

/** Options of saving weights for a sampling client of their own. */
export interface SamplingSaveOptions extends CallOptions, SamplerOptions {
  /** `inflight`: later inflight saves move the weights of this sampler on. @defaultValue `snapshot` */
  readonly kind?: SamplingClientKind | undefined;
}

/** Options of making a sampling client of saved weights. */
export interface TrainedSamplerOptions extends CallOptions, SamplerOptions {}

/** Options of asking what a model is made of. */
export interface InfoOptions extends CallOptions {
  /** Ask the service again. @defaultValue false */
  readonly refresh?: boolean | undefined;
}

export const PASS_OPTIONS = {
  ...CALL_OPTIONS,
  loss_fn_config: true,
  unchecked: true,
  strictMetrics: true,
} as const;
export const LOAD_OPTIONS = { ...CALL_OPTIONS, weights_access_token: true } as const;
export const SAMPLING_SAVE_OPTIONS = { ...CALL_OPTIONS, ...SAMPLER_OPTIONS, kind: true } as const;
export const TRAINED_SAMPLER_OPTIONS = { ...CALL_OPTIONS, ...SAMPLER_OPTIONS } as const;
export const INFO_OPTIONS = { ...CALL_OPTIONS, refresh: true } as const;

/**
 * Checks the parameters of a step, and gives the field that they travel in.
 *
 * @throws ValidationError for parameters that are none of an optimizer's
 */
export function optimizerFields(
  method: string,
  params: AdamParams | OptimizerParams,
): Omit<RequestOf<"optim_step">, "model_id" | "seq_id"> {
  checkObject(params, `${method}: params`, "{ learning_rate: 1e-4 }");
  // Parameters with a `type` are of another family than AdamW, and travel in another field.
  return "type" in params
    ? { optimizer_params: checkSent(optimizerParamsSchema, params, method) }
    : { adam_params: checkSent(adamParamsSchema, params, method) };
}
