import * as z from "zod";
import { sentType } from "../../schema/names.js";
import { receivedObject, sentObject } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";
import { type AdamParams, adamParamsSchema } from "./adam-params.js";
import { metricsSchema } from "./forward-backward.js";
import { type OptimizerParams, optimizerParamsSchema } from "./optimizer-config.js";

/** One optimizer step with the gradients gathered since the last one. Exactly one of the two parameter fields is given. */
export interface OptimStepRequest {
  readonly adam_params?: AdamParams | undefined;
  /** Parameters of another family than Adam. Since 0.38. */
  readonly optimizer_params?: OptimizerParams | undefined;
  readonly model_id: string;
  readonly seq_id: number;
  readonly type?: "optim_step" | undefined;
}

/** The result of an optimizer step. */
export interface OptimStepResponse {
  /** Free names, e.g. `grad_norm`; absent when the service reports none. */
  readonly metrics?: Readonly<Record<string, number>>;
}

export const optimStepRequestSchema: RecordSchema<OptimStepRequest> = sentObject(() => ({
  adam_params: zodOf(adamParamsSchema).optional(),
  optimizer_params: zodOf(optimizerParamsSchema).optional(),
  model_id: z.string().min(1),
  seq_id: z.int().min(1),
  type: sentType("optim_step"),
})).refine((step) => (step.adam_params === undefined) !== (step.optimizer_params === undefined), {
  error: "exactly one of adam_params and optimizer_params must be given",
});

export const optimStepResponseSchema: RecordSchema<OptimStepResponse> = receivedObject(() => ({
  metrics: zodOf(metricsSchema).exactOptional(),
}));
