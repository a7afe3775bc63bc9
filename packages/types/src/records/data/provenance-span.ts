import * as z from "zod";
import { closedName } from "../../schema/names.js";
import { countSchema } from "../../schema/numbers.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { sentObject } from "../../schema/objects.js";

/** This run of positions is part of an earlier sample's prompt. Since 0.38. */
export interface PromptProvenanceSpan {
  readonly type: "prompt_tokens";
  /** The sample's {@link SampledSequence.sequence_id}. */
  readonly sequence_id: string;
  /** First position in that prompt. @defaultValue 0 */
  readonly offset?: number | undefined;
  /** Number of positions. */
  readonly length: number;
}

/** This run of positions is part of what an earlier sample generated. Since 0.38. */
export interface SampledProvenanceSpan {
  readonly type: "sampled_tokens";
  readonly sequence_id: string;
  readonly offset?: number | undefined;
  readonly length: number;
}

/**
 * Origin of a run of a datum's positions. Spans exist in protobuf requests only, where the kind is the name of a
 * member; `type` carries that name.
 */
export type ProvenanceSpan = PromptProvenanceSpan | SampledProvenanceSpan;

export const provenanceSpanSchema: RecordSchema<ProvenanceSpan> = sentObject(() => ({
  type: closedName(["prompt_tokens", "sampled_tokens"]),
  sequence_id: z.string().min(1),
  offset: countSchema.optional(),
  length: countSchema,
}));
