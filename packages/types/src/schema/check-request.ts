import type * as z from "zod";
import { checkReceived } from "./check-record.js";
import { defaultOf, receivedFormOf } from "./objects.js";
import { chooserOf } from "./one-of-kinds.js";
import type { RecordSchema } from "./record-schema.js";
import { zodOf } from "./zod-of.js";

/**
 * Checks the body of a request as a server reads it, whichever generation of client wrote it: unknown fields are dropped, null reads as
 * absent and absent fields get their defaults, in the records within as well, so that equal requests become equal records. What is
 * required must be there, and numbers must be in their ranges.
 *
 * @example checkRequest(createModelRequestSchema, JSON.parse(text), "CreateModelRequest")
 * @throws ResponseError (`response_invalid`) that names the record and the field
 */
export function checkRequest<Value>(schema: RecordSchema<Value>, body: unknown, what: string): Value {
  const isOurs = typeof schema === "object" && schema !== null && "_zod" in schema;
  return checkReceived(schema, isOurs ? readTolerantly(zodOf(schema), body) : body, what);
}

/** Gives a value in the form that the strict schema takes. What the schema does not know is left as it is. */
function readTolerantly(schema: z.core.$ZodType, value: unknown): unknown {
  const { def } = schema._zod as z.core.$ZodTypes["_zod"];
  switch (def.type) {
    case "lazy":
      return readTolerantly(def.getter(), value);
    case "optional":
    case "nullable":
      return readTolerantly(def.innerType, value);
    case "object":
      return isObject(value) ? readFields(schema, def, value) : value;
    case "array":
      return Array.isArray(value) ? value.map((item) => readTolerantly(def.element, item)) : value;
    case "record":
      return isObject(value) ? readMembers(def.valueType, value) : value;
    case "union":
      return isObject(value) && "discriminator" in def ? readVariant(def, value) : value;
    default:
      return isObject(value) ? readChosen(schema, value) : value;
  }
}

function readFields(
  schema: z.core.$ZodType,
  { shape, catchall }: z.core.$ZodObjectDef,
  value: object,
): unknown {
  const fields = receivedFormOf(schema)(value);
  const keepsUnknown = catchall?._zod.def.type === "unknown";
  const read: Record<string, unknown> = keepsUnknown ? { ...fields } : {};
  for (const [name, field] of Object.entries(shape)) {
    const given: unknown = Object.hasOwn(fields, name) ? fields[name] : undefined;
    // A field whose value may be null says something by it.
    const chosen = given ?? defaultOf(field) ?? (mayBeNull(field) ? given : undefined);
    delete read[name];
    if (chosen !== undefined) read[name] = readTolerantly(field, chosen);
  }
  return read;
}

function readMembers(member: z.core.$ZodType, value: object): unknown {
  // Own properties, also one that is named like the prototype.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readTolerantly(member, item)]));
}

/** Reads one of several kinds of record, as the kind that it is. */
function readChosen(schema: z.core.$ZodType, value: object): unknown {
  const chosen = chooserOf(schema)?.(value);
  return chosen === undefined || typeof chosen === "string" ? value : readTolerantly(chosen, value);
}

/** Reads one of several kinds of record that one field tells apart. */
function readVariant(def: z.core.$ZodUnionDef & { readonly discriminator: unknown }, value: object): unknown {
  const key = String(def.discriminator);
  const kind: unknown = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  const variant = def.options.find((option) =>
    option._zod.propValues?.[key]?.has(kind as z.core.util.Primitive),
  );
  return variant === undefined ? value : readTolerantly(variant, value);
}

function mayBeNull(field: z.core.$ZodType): boolean {
  const { def } = field._zod as z.core.$ZodTypes["_zod"];
  return def.type === "nullable" || (def.type === "optional" && mayBeNull(def.innerType));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
