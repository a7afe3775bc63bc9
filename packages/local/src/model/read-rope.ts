import { ValidationError } from "@tinkex/base";
import { z } from "zod";
import { shortened } from "../json/shortened.js";
import type { Llama3RopeScaling, ModelConfig } from "./model-config.js";

/** Base of the rotary wavelengths; published models have from 10,000 to some hundred millions. */
const theta = z.number().min(1).max(1e12);
const DEFAULT_THETA = 10_000;

/** Settings of one rotary embedding. Unknown fields stay: one that is an object gives the settings of a kind of layer. */
const ropeSchema = z.looseObject({
  rope_theta: theta.optional(),
  rope_type: z.string().optional(),
  /** The older name of `rope_type`. */
  type: z.string().optional(),
  factor: z.number().positive().optional(),
  low_freq_factor: z.number().positive().optional(),
  high_freq_factor: z.number().positive().optional(),
  original_max_position_embeddings: z.number().positive().optional(),
  partial_rotary_factor: z.number().optional(),
});
type Rope = z.infer<typeof ropeSchema>;

/** Fields of a `config.json` that say how positions are embedded. */
export const ropeFields = {
  rope_theta: theta.nullish(),
  rope_scaling: ropeSchema.nullish(),
  /** Newer spelling, which holds both `rope_theta` and what `rope_scaling` held. */
  rope_parameters: ropeSchema.nullish(),
  original_max_position_embeddings: z.number().positive().optional(),
  partial_rotary_factor: z.number().optional(),
};
const ropeFieldsSchema = z.object({ ...ropeFields, max_position_embeddings: z.number() });
type RopeFields = z.infer<typeof ropeFieldsSchema>;

/**
 * Reads the rotary settings as `transformers` 5 does: a `rope_scaling` that is not empty replaces `rope_parameters` as a whole, its
 * `rope_theta` too; fields at the top fill what is missing there.
 *
 * @throws ValidationError naming the file and the field where the engine has no such embedding
 */
export function readRope(fields: RopeFields, file: string): Pick<ModelConfig, "ropeTheta" | "ropeScaling"> {
  const scaling = fields.rope_scaling ?? {};
  const rope: Rope = Object.keys(scaling).length > 0 ? scaling : (fields.rope_parameters ?? {});
  refuseKindsOfLayer(rope, file);
  const ropeTheta = rope.rope_theta ?? (fields.rope_theta === undefined ? DEFAULT_THETA : fields.rope_theta);
  if (ropeTheta === null) {
    throw new ValidationError(
      `${file}: rope_theta must be a number, got null; leave it out for ${DEFAULT_THETA}`,
    );
  }
  const ropeType = rope.rope_type ?? rope.type ?? "default";
  if (ropeType === "default") return { ropeTheta };
  if (ropeType !== "llama3") throw notSupported(ropeType, file);
  return { ropeTheta, ropeScaling: readLlama3(rope, fields, file) };
}

function readLlama3(rope: Rope, fields: RopeFields, file: string): Llama3RopeScaling {
  const { factor, low_freq_factor: low, high_freq_factor: high } = rope;
  if (factor === undefined || low === undefined || high === undefined) throw notSupported("llama3", file);
  if (high <= low) {
    throw new ValidationError(`${file}: high_freq_factor must be above low_freq_factor ${low}, got ${high}`);
  }
  const part = rope.partial_rotary_factor ?? fields.partial_rotary_factor ?? 1;
  if (part !== 1) {
    throw new ValidationError(`${file}: partial_rotary_factor must be 1 with "llama3", got ${part}`);
  }
  const originalContextLength =
    fields.original_max_position_embeddings ??
    rope.original_max_position_embeddings ??
    fields.max_position_embeddings;
  return { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalContextLength };
}

function refuseKindsOfLayer(rope: Rope, file: string): void {
  const kind = Object.entries(rope).find(([, value]) => typeof value === "object" && value !== null)?.[0];
  if (kind === undefined) return;
  throw new ValidationError(
    `${file}: rope_parameters must be the same for all layers, got some for "${shortened(kind)}" alone`,
  );
}

function notSupported(ropeType: string, file: string): ValidationError {
  return new ValidationError(
    `${file}: rotary scaling must be "default" or "llama3" (with factor, low_freq_factor and high_freq_factor), ` +
      `got "${shortened(ropeType)}"`,
  );
}
