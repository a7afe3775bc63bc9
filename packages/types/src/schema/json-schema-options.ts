import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";

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
  checkKnownNames(options, { refBase: true, draft: true, dialect: true }, "toJsonSchema: options");
  const { refBase, draft, dialect } = options;
  if (refBase !== undefined && !isPlace(refBase)) {
    throw wrongOption("refBase", 'the place of this one schema, e.g. "#/components/schemas/Datum"', refBase);
  }
  if (draft !== undefined && !DRAFTS.includes(draft)) {
    throw wrongOption("draft", `one of ${DRAFTS.map((known) => `"${known}"`).join(", ")}`, draft);
  }
  if (dialect !== undefined && typeof dialect !== "boolean") {
    throw wrongOption("dialect", "true or false", dialect);
  }
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
