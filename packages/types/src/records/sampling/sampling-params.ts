import * as z from "zod";
import { int64Schema } from "../../schema/numbers.js";
import { sentObject, withDefault } from "../../schema/objects.js";
import type { RecordSchema } from "../../schema/record-schema.js";
import { firstNotTokenId } from "../data/chunks.js";
import { SAMPLE_FIELD_PLACES } from "./field-places.js";

/** Parameters of drawing tokens. */
export interface SamplingParams {
  /** Most tokens to generate, 1 or more; absent: as far as the context allows. */
  readonly max_tokens?: number | undefined;
  /** Any integer up to 64 bits. */
  readonly seed?: number | bigint | undefined;
  /**
   * A string, strings, or token ids that end a sample. Absent: the model's end token. **`[]`: nothing ends it**, not even the
   * end token; it runs to `max_tokens`.
   */
  readonly stop?: string | readonly string[] | readonly number[] | undefined;
  /** 0 = greedy. @defaultValue 1 */
  readonly temperature?: number | undefined;
  /** Draw from the k likeliest tokens, 1 or more; -1 = all. @defaultValue -1 */
  readonly top_k?: number | undefined;
  /** Draw from the likeliest tokens that together reach this probability, above 0 and at most 1. @defaultValue 1 */
  readonly top_p?: number | undefined;
}

/** The service's defaults of {@link SamplingParams}. */
export const SamplingParams = {
  defaults: { temperature: 1, top_k: -1, top_p: 1 },
} as const satisfies { readonly defaults: SamplingParams };

const stopSchema = z
  .custom<NonNullable<SamplingParams["stop"]>>(
    isStop,
    "must be a string, a list of strings, or a list of token ids, got a mixture",
  )
  .meta({
    anyOf: [
      { type: "string" },
      { type: "array", items: { type: "string" } },
      { type: "array", items: { type: "integer" } },
    ],
  });

function isStop(value: unknown): boolean {
  if (typeof value === "string") return true;
  if (!Array.isArray(value)) return false;
  return value.every((item) => typeof item === "string") || firstNotTokenId(value) === -1;
}

export const samplingParamsSchema: RecordSchema<SamplingParams> = sentObject(
  () => ({
    max_tokens: z.int().min(1).optional(),
    seed: int64Schema.optional(),
    stop: stopSchema.optional(),
    temperature: withDefault(z.number().gte(0), SamplingParams.defaults.temperature),
    top_k: withDefault(
      z
        .int()
        .refine((k) => k === -1 || k >= 1, { error: ({ input }) => `must be -1 or 1 or more, got ${input}` }),
      SamplingParams.defaults.top_k,
    ),
    top_p: withDefault(z.number().gt(0).lte(1), SamplingParams.defaults.top_p),
  }),
  { elsewhere: SAMPLE_FIELD_PLACES },
);
