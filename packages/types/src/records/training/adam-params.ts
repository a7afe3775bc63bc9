import * as z from "zod";
import { sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/** One step of AdamW. The last two came with 0.7. */
export interface AdamParams {
  /** 0 or more. @defaultValue 1e-4 */
  readonly learning_rate?: number | undefined;
  /** Decay of the mean of gradients, 0 ≤ beta1 < 1. @defaultValue 0.9 */
  readonly beta1?: number | undefined;
  /** Decay of the mean of squared gradients, 0 ≤ beta2 < 1. @defaultValue 0.95 */
  readonly beta2?: number | undefined;
  /** Above 0. @defaultValue 1e-12 */
  readonly eps?: number | undefined;
  /** Decoupled weight decay, 0 or more. @defaultValue 0 */
  readonly weight_decay?: number | undefined;
  /** Largest global norm of the gradient; 0 = no clipping. @defaultValue 0 */
  readonly grad_clip_norm?: number | undefined;
}

/** The service's defaults of {@link AdamParams}. */
export const AdamParams = {
  defaults: {
    learning_rate: 1e-4,
    beta1: 0.9,
    beta2: 0.95,
    eps: 1e-12,
    weight_decay: 0,
    grad_clip_norm: 0,
  },
} as const satisfies { readonly defaults: Required<AdamParams> };

const decaySchema = z.number().gte(0).lt(1);

export const adamParamsSchema: RecordSchema<AdamParams> = sentObject(() => ({
  learning_rate: withDefault(z.number().gte(0), AdamParams.defaults.learning_rate),
  beta1: withDefault(decaySchema, AdamParams.defaults.beta1),
  beta2: withDefault(decaySchema, AdamParams.defaults.beta2),
  eps: withDefault(z.number().gt(0), AdamParams.defaults.eps),
  weight_decay: withDefault(z.number().gte(0), AdamParams.defaults.weight_decay),
  grad_clip_norm: withDefault(z.number(), AdamParams.defaults.grad_clip_norm),
}));
