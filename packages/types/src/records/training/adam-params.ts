import * as z from "zod";
import { sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/** One step of AdamW. The last two came with 0.7. */
export interface AdamParams {
  /** @defaultValue 1e-4 */
  readonly learning_rate?: number | undefined;
  /** Decay of the mean of gradients. @defaultValue 0.9 */
  readonly beta1?: number | undefined;
  /** Decay of the mean of squared gradients. @defaultValue 0.95 */
  readonly beta2?: number | undefined;
  /** @defaultValue 1e-12 */
  readonly eps?: number | undefined;
  /** Decoupled weight decay. @defaultValue 0 */
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

export const adamParamsSchema: RecordSchema<AdamParams> = sentObject(() => ({
  learning_rate: z.number().optional(),
  beta1: z.number().optional(),
  beta2: z.number().optional(),
  eps: z.number().optional(),
  weight_decay: z.number().optional(),
  grad_clip_norm: z.number().optional(),
}));
