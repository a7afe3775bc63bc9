import { checkObject, ValidationError } from "@tinkex/base";
import * as z from "zod";
import {
  checkJsonSchemaOptions,
  type JsonSchemaDraft,
  type JsonSchemaOptions,
} from "./json-schema-options.js";
import { ALTERNATIVES } from "./one-of-kinds.js";
import { checkDescription, type DescribeRecord } from "./record-description.js";
import type { RecordSchema } from "./record-schema.js";

/**
 * Makes the JSON Schema of a record, in its JSON form: numeric arrays are lists, bytes are base64, integers beyond 2⁵³ are
 * integers.
 *
 * @example toJsonSchema(samplingParamsSchema)
 * @example toJsonSchema(datumSchema, { refBase: "#/components/schemas/Datum" })
 * @example toJsonSchema(datumSchema, { describe: describeRecords(recordSchemas) })
 * @throws ValidationError for a schema that is not one of this package, and for an option that does not exist
 */
export function toJsonSchema(
  schema: RecordSchema<unknown>,
  options: JsonSchemaOptions = {},
): Record<string, unknown> {
  checkObject(schema, "toJsonSchema: schema", "samplingParamsSchema");
  if (!("_zod" in schema)) {
    throw new ValidationError(
      "toJsonSchema: schema must be one of this package's, e.g. samplingParamsSchema; others have their own way to a JSON Schema",
      { path: ["schema"] },
    );
  }
  checkJsonSchemaOptions(options);
  const { refBase = "#", draft = "draft-2020-12", dialect = refBase.endsWith("#"), describe } = options;
  const { $schema, ...rest } = jsonSchemaOf(schema, draft, describe);
  const placed = draft === "draft-07" ? forDraft7(rest) : rest;
  rebase(placed, refBase);
  return dialect ? { $schema, ...placed } : placed;
}

/** Lets the references of a schema start at the place where it will lie. Changes the schema, which nobody else has yet. */
function rebase(node: unknown, refBase: string): void {
  for (const reference of references(node)) reference.$ref = refBase + reference.$ref.slice(1);
}

interface Reference {
  $ref: string;
}

function isReference(node: object): node is Reference {
  return "$ref" in node && typeof node.$ref === "string";
}

function references(node: unknown): Reference[] {
  if (typeof node !== "object" || node === null) return [];
  const below = Object.values(node).flatMap(references);
  return isReference(node) ? [node, ...below] : below;
}

/** Writes a schema for Ajv as fastify sets it up. Changes the schema, which nobody else has yet. */
function forDraft7(schema: Record<string, unknown>): Record<string, unknown> {
  dropIdleDefaults(schema);
  const toRoot = references(schema).filter(({ $ref }) => $ref === "#");
  if (toRoot.length === 0) return schema;
  // An Ajv that keeps no schemas (addUsedSchema: false) finds nothing at "#".
  const root = { $ref: "#/definitions/root" };
  for (const reference of toRoot) Object.assign(reference, root);
  const { definitions, ...record } = schema;
  return { ...root, definitions: Object.assign({ root: record }, definitions) };
}

/** Keywords whose value holds schemas by names of their own. */
const NAMED_SCHEMAS = new Set(["properties", "definitions"]);

/**
 * Leaves defaults out of alternatives, where no validator fills them in, and where Ajv's strict mode, which fastify keeps, refuses
 * them. Changes the schema.
 */
function dropIdleDefaults(node: unknown, isAlternative = false): void {
  if (typeof node !== "object" || node === null) return;
  for (const [key, child] of Object.entries(node)) {
    if (NAMED_SCHEMAS.has(key)) {
      for (const schema of Object.values(child)) dropIdleDefaults(schema, isAlternative);
    } else if (key !== "default") {
      dropIdleDefaults(child, isAlternative || key === "anyOf" || key === "oneOf");
    } else if (isAlternative) {
      Reflect.deleteProperty(node, key);
    }
  }
}

function jsonSchemaOf(
  schema: RecordSchema<unknown>,
  target: JsonSchemaDraft,
  describe?: DescribeRecord,
): Record<string, unknown> {
  // Every schema of this package is a zod schema; others have their own way to a JSON Schema.
  const written = z.toJSONSchema(schema as unknown as z.core.$ZodType, {
    io: "input",
    target,
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      // A word of zod's, no format of JSON Schema: validators refuse it, and the pattern beside it says the same.
      if (jsonSchema.format === "starts_with") delete jsonSchema.format;
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
      if (Array.isArray(kinds)) {
        delete jsonSchema[ALTERNATIVES];
        jsonSchema.anyOf = kinds.map((kind: RecordSchema<unknown>) => {
          const { $schema: _, ...alternative } = jsonSchemaOf(kind, target, describe);
          return alternative;
        });
      }
      const words = describe?.(zodSchema as unknown as RecordSchema<unknown>);
      if (words === undefined) return;
      checkDescription(words);
      jsonSchema.description = words.description;
      jsonSchema[FIELD_WORDS] = words.fields;
    },
  });
  if (describe !== undefined) describeFields(written);
  return written;
}

/** Holds a record's words for its fields until zod has copied what it shares: the same schema stands in several fields. */
const FIELD_WORDS = "x-field-words";

/** Puts descriptions of fields beside them, before those of the records that the fields hold. Changes the schema. */
function describeFields(node: unknown): void {
  if (typeof node !== "object" || node === null) return;
  for (const child of Object.values(node)) describeFields(child);
  if (!(FIELD_WORDS in node)) return;
  const { [FIELD_WORDS]: words, properties } = node as FieldsWithWords;
  Reflect.deleteProperty(node, FIELD_WORDS);
  for (const [name, description] of Object.entries(words ?? {})) {
    if (properties !== undefined && Object.hasOwn(properties, name))
      Object.assign(properties[name] ?? {}, { description });
  }
}

interface FieldsWithWords {
  readonly [FIELD_WORDS]?: Readonly<Record<string, string>>;
  readonly properties?: Readonly<Record<string, object>>;
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
