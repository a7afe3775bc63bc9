import * as z from "zod";
import { reportJsonFault } from "../../schema/json-value.js";
import { sentObject, typedInput, withDefault } from "../../schema/objects.js";
import { byType } from "../../schema/one-of-kinds.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { zodOf } from "../../schema/zod-of.js";

/** The optimizer family of a model, fixed when it is created. Since 0.38; earlier servers know Adam only. */
export type OptimizerConfig = AdamOptimizerConfig | DimuonOptimizerConfig | OtherOptimizerConfig;

/** AdamW, the default. */
export interface AdamOptimizerConfig {
  readonly type: "adamw";
}

/** The Dimuon family. */
export interface DimuonOptimizerConfig {
  readonly type: "dimuon";
  /** @defaultValue 1, the only one so far */
  readonly version?: 1 | undefined;
}

/** A family this package does not know: its fields go through as they are. */
export interface OtherOptimizerConfig {
  readonly type: string & {};
  readonly [field: string]: unknown;
}

/** One step of the Dimuon family. */
export interface DimuonParams {
  readonly type: "dimuon";
  /** 0 or more. */
  readonly learning_rate: number;
  /** 0 or less = no clipping. @defaultValue 0 */
  readonly grad_clip_norm?: number | undefined;
  /** 0 ≤ beta1 < 1. @defaultValue 0.9 */
  readonly beta1?: number | undefined;
}

/** One step of a family this package does not know. */
export interface OtherOptimizerParams {
  readonly type: string & {};
  readonly [field: string]: unknown;
}

/** One step of any family but Adam, whose parameters have no `type`. */
export type OptimizerParams = DimuonParams | OtherOptimizerParams;

/** A family we do not know is the server's to check: `type` and free fields that have a JSON form. */
const otherFamilySchema: z.ZodType<OtherOptimizerConfig, OtherOptimizerConfig> = z
  .looseObject({ type: z.string().min(1) })
  .check(reportJsonFault);

const adamConfigSchema = sentObject(() => ({ type: z.literal("adamw") }));
const dimuonConfigSchema = sentObject(() => ({
  type: z.literal("dimuon"),
  version: withDefault(z.literal(1), 1),
}));

/** Schema for sending: known families strictly, others as they are. */
export const optimizerConfigSchema: RecordSchema<OptimizerConfig> = byType<OptimizerConfig>(
  { adamw: adamConfigSchema, dimuon: dimuonConfigSchema },
  otherFamilySchema,
);

/** Schema for receiving: absent, null and `{}` mean Adam; anything else is kept, also a newer version of a known family. */
export const receivedOptimizerConfigSchema: RecordSchema<OptimizerConfig> = typedInput(
  z
    .preprocess(
      (value) => {
        if (value === null) return { type: "adamw" };
        return typeof value !== "object" || "type" in value ? value : { ...value, type: "adamw" };
      },
      z.looseObject({ type: z.string() }),
    )
    .default({ type: "adamw" }),
);

export const dimuonParamsSchema: RecordSchema<DimuonParams> = sentObject(() => ({
  type: z.literal("dimuon"),
  learning_rate: z.number().nonnegative(),
  grad_clip_norm: withDefault(z.number(), 0),
  beta1: withDefault(z.number().gte(0).lt(1), 0.9),
}));

export const optimizerParamsSchema: RecordSchema<OptimizerParams> = byType<OptimizerParams>(
  { dimuon: zodOf(dimuonParamsSchema) },
  otherFamilySchema,
);
