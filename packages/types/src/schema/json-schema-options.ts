import { checkFunction, checkKnownNames, describeValue, ValidationError } from "@tinkex/base";
import type { DescribeRecord } from "./record-description.js";

/** Form of a JSON Schema that goes into another tool or document. */
export interface JsonSchemaOptions {
  /**
   * JSON Pointer of the place where the schema will lie, e.g. `#/components/schemas/Datum` in an OpenAPI document, or
   * `records.json#/$defs/Datum` for who refers to it from another one. References within the schema start with it.
   *
   * @defaultValue "#", the schema is a document of its own
   */
  readonly refBase?: string | undefined;
  /**
   * Draft of JSON Schema. Validators that fastify and Ajv use by default know draft 7 alone.
   *
   * @defaultValue "draft-2020-12"
   */
  readonly draft?: JsonSchemaDraft | undefined;
  /**
   * Adds `$schema`, the address of the draft, which only the root of a document may have.
   *
   * @defaultValue false with a `refBase` inside a document, else true
   */
  readonly dialect?: boolean | undefined;
  /**
   * Gives the `description`s of a record and its fields, also of a record within another: `describeRecords(recordSchemas)` of
   * `@tinkex/types/descriptions`, or a function of one's own.
   *
   * @defaultValue none: a schema says what is valid, not what it means
   */
  readonly describe?: DescribeRecord | undefined;
}

const DRAFTS = ["draft-2020-12", "draft-07"] as const;

/** Draft of JSON Schema that a schema is written for. */
export type JsonSchemaDraft = (typeof DRAFTS)[number];

/**
 * Refuses options that cannot be kept.
 *
 * @throws ValidationError naming the option
 */
export function checkJsonSchemaOptions(options: JsonSchemaOptions): void {
  checkKnownNames(
    options,
    { refBase: true, draft: true, dialect: true, describe: true },
    "toJsonSchema: options",
  );
  const { refBase, draft, dialect, describe } = options;
  if (refBase !== undefined && !isPlace(refBase)) {
    throw wrongOption("refBase", 'the place of this one schema, e.g. "#/components/schemas/Datum"', refBase);
  }
  if (draft !== undefined && !DRAFTS.includes(draft)) {
    throw wrongOption("draft", `one of ${DRAFTS.map((known) => `"${known}"`).join(", ")}`, draft);
  }
  if (dialect !== undefined && typeof dialect !== "boolean") {
    throw wrongOption("dialect", "true or false", dialect);
  }
  if (describe !== undefined) checkFunction(describe, "toJsonSchema: options.describe");
}

function wrongOption(name: keyof JsonSchemaOptions, wanted: string, value: unknown): ValidationError {
  return new ValidationError(`toJsonSchema: options.${name} must be ${wanted}, got ${describeValue(value)}`, {
    path: ["options", name],
  });
}

/** Tells whether a string is the address of a document, or nothing, with a JSON Pointer to one schema behind its hash. */
function isPlace(value: unknown): boolean {
  if (typeof value !== "string" || /\s/.test(value)) return false;
  const [, pointer, ...further] = value.split("#");
  if (pointer === undefined || further.length > 0) return false;
  return pointer === "" || (pointer.startsWith("/") && !pointer.endsWith("/"));
}
