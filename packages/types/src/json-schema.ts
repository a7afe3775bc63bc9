import * as z from "zod";
import { ALTERNATIVES } from "./schema/one-of-kinds.js";
import type { RecordSchema } from "./schema/record-schema.js";

/**
 * The JSON Schema (draft 2020-12) of a record, in its JSON form: numeric arrays are lists, bytes are base64, integers beyond 2⁵³
 * are integers.
 *
 * @example toJsonSchema(samplingParamsSchema)
 */
export function toJsonSchema(schema: RecordSchema<unknown>): Record<string, unknown> {
  // Every schema of this package is a zod schema; others have their own way to a JSON Schema.
  return z.toJSONSchema(schema as unknown as z.core.$ZodType, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "bigint") jsonSchema.type = "integer";
      const kinds = jsonSchema[ALTERNATIVES];
      if (!Array.isArray(kinds)) return;
      delete jsonSchema[ALTERNATIVES];
      jsonSchema.anyOf = kinds.map((kind: RecordSchema<unknown>) => {
        const { $schema: _, ...alternative } = toJsonSchema(kind);
        return alternative;
      });
    },
  });
}
