import { checkObject, ValidationError } from "@tinkex/base";
import * as z from "zod";
import { ALTERNATIVES } from "./one-of-kinds.js";
import type { RecordSchema } from "./record-schema.js";

/**
 * Makes the JSON Schema (draft 2020-12) of a record, in its JSON form: numeric arrays are lists, bytes are base64, integers
 * beyond 2⁵³ are integers.
 *
 * @example toJsonSchema(samplingParamsSchema)
 * @throws ValidationError for a schema that is not one of this package
 */
export function toJsonSchema(schema: RecordSchema<unknown>): Record<string, unknown> {
  checkObject(schema, "toJsonSchema: schema", "samplingParamsSchema");
  if (!("_zod" in schema)) {
    throw new ValidationError(
      "toJsonSchema: schema must be one of this package's, e.g. samplingParamsSchema; others have their own way to a JSON Schema",
      { path: ["schema"] },
    );
  }
  // Every schema of this package is a zod schema; others have their own way to a JSON Schema.
  return z.toJSONSchema(schema as unknown as z.core.$ZodType, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === "bigint") jsonSchema.type = "integer";
      // zod leaves the default out where the value is changed on its way in.
      if (def.type === "default") jsonSchema.default = def.defaultValue as typeof jsonSchema.default;
      if (def.type === "object") {
        const required = Object.entries(def.shape).flatMap(([name, field]) =>
          isRequired(field) ? name : [],
        );
        if (required.length > 0) jsonSchema.required = required;
      }
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

/**
 * Tells whether a field must be there. zod answers for the schema alone, and takes one that looks at absent values for optional;
 * ours look at null, and stand behind a lazy schema.
 */
function isRequired(field: z.core.$ZodType): boolean {
  const { def } = field._zod as z.core.$ZodTypes["_zod"];
  if (def.type === "lazy") return isRequired(def.getter());
  if (def.type === "pipe") {
    const looksFirst = (def.in._zod as z.core.$ZodTypes["_zod"]).def.type === "transform";
    return isRequired(looksFirst ? def.out : def.in);
  }
  return field._zod.optin === undefined;
}
