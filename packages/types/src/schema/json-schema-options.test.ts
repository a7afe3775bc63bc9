import { ValidationError } from "@tinkex/base";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { checkRequest } from "./check-request.js";
import { toJsonSchema } from "./json-schema.js";
import type { JsonSchemaOptions } from "./json-schema-options.js";
import { type RecordName, recordSchemas } from "./record-schemas.js";

const names = Object.keys(recordSchemas) as RecordName[];
const COMPONENTS = "#/components/schemas/";

/** Calls `visit` with every object and array below a value, the value included. */
function walk(value: unknown, visit: (node: object) => void): void {
  if (typeof value !== "object" || value === null) return;
  visit(value);
  for (const child of Object.values(value)) walk(child, visit);
}

function referencesOf(document: object): string[] {
  const references: string[] = [];
  walk(document, (node) => {
    if ("$ref" in node && typeof node.$ref === "string") references.push(node.$ref);
  });
  return references;
}

/** Follows a JSON Pointer from the root of a document, as a reader of OpenAPI does; undefined where it leads nowhere. */
function resolve(document: unknown, reference: string): unknown {
  const parts = reference.slice(1).split("/").slice(1);
  return parts.reduce<unknown>(
    (node, part) => (typeof node === "object" && node !== null ? Reflect.get(node, part) : undefined),
    document,
  );
}

/** An OpenAPI document of every record. */
const openApi = {
  openapi: "3.1.0",
  components: {
    schemas: Object.fromEntries(
      names.map((name) => [name, toJsonSchema(recordSchemas[name], { refBase: COMPONENTS + name })]),
    ),
  },
};

/** A validator with the settings of fastify's: it knows draft 7 alone, and refuses keywords it does not know. */
const fastifyAjv = () =>
  new Ajv({
    coerceTypes: "array",
    useDefaults: true,
    removeAdditional: true,
    addUsedSchema: false,
    strictTypes: false,
    formats: { "date-time": true },
  });

// fastify/fastify-swagger#879, turkerdev/fastify-type-provider-zod#210: references to #/$defs/__schema0 that lead nowhere.
describe("JSON Schemas in a document of another tool", () => {
  it("leads every reference of every record to its place in an OpenAPI document", () => {
    const references = referencesOf(openApi);
    expect(references).toContain("#/components/schemas/CustomLossGraph/$defs/__schema0");
    // A record that refers to itself as a whole.
    expect(references).toContain("#/components/schemas/GraphValue");
    expect(references.filter((reference) => resolve(openApi, reference) === undefined)).toEqual([]);
  });

  it("leads every reference of every record to its place in the schema alone", () => {
    for (const name of names) {
      const schema = toJsonSchema(recordSchemas[name]);
      const lost = referencesOf(schema).filter((reference) => resolve(schema, reference) === undefined);
      expect(lost, name).toEqual([]);
    }
  });

  it("is understood by a validator where it lies in an OpenAPI document", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(openApi, "openapi.json");
    const validate = ajv.getSchema(`openapi.json${COMPONENTS}CustomLossGraph`);
    const node = { op: "output", name: "n", target: "t", args: [{ tuple: [{ ref: "a" }, null, 1.5] }] };
    expect(validate?.({ nodes: [node] }), JSON.stringify(validate?.errors)).toBe(true);
    expect(validate?.({ nodes: [{ ...node, args: [{ tuple: [{ reff: "a" }] }] }] })).toBe(false);
  });

  it("names no format that JSON Schema does not have, and keeps the pattern in its place", () => {
    const formats = new Set<unknown>();
    walk(openApi, (node) => {
      if ("format" in node && typeof node.format === "string") formats.add(node.format);
    });
    expect([...formats]).toEqual(["date-time"]);
    const { properties } = toJsonSchema(recordSchemas.CopyWeightsRequest);
    expect(properties).toMatchObject({ source_path: { type: "string", pattern: "^tinker:\\/\\/.*" } });
  });

  it("writes every record for a validator of draft 7, as fastify has", () => {
    const ajv = fastifyAjv();
    for (const name of names) {
      const schema = toJsonSchema(recordSchemas[name], { draft: "draft-07" });
      expect(() => ajv.compile(schema), name).not.toThrow();
    }
    const validate = ajv.compile(toJsonSchema(recordSchemas.SampleRequest, { draft: "draft-07" }));
    const request = { prompt: { chunks: [{ tokens: [1] }] }, sampling_params: {}, num_samples: 1 };
    expect(validate(request), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...request, prompt: {} })).toBe(false);
  });

  it.each([
    [
      "a session's metadata of null",
      "CreateSessionRequest",
      { tags: [], sdk_version: "1", user_metadata: null },
    ],
    ["null for a field that may be absent", "SessionHeartbeatRequest", { session_id: "s", type: null }],
    ["an unknown field", "SessionHeartbeatRequest", { session_id: "s", newer_field: 1 }],
  ] as const)("says what clients are to send: %s is for checkRequest to read", (_, name, body) => {
    const schema = recordSchemas[name];
    expect(new Ajv2020({ strict: false }).validate(toJsonSchema(schema), body)).toBe(false);
    expect(() => checkRequest<unknown>(schema, body, name)).not.toThrow();
  });

  // fastify/fastify#3429: what a schema neither names nor allows is left out of the answer.
  it("says of objects of free content that they may hold anything, which fastify would not write otherwise", () => {
    const silent: unknown[] = [];
    walk(openApi, (node) => {
      if ("type" in node && node.type === "object" && !("additionalProperties" in node)) silent.push(node);
    });
    expect(silent).toEqual([]);
  });

  it("is taken by Ajv's strictest mode once it allows types by turns", () => {
    const strictest = { strict: true, strictRequired: true, allowUnionTypes: true, validateFormats: false };
    for (const name of names) {
      expect(() => new Ajv2020(strictest).compile(toJsonSchema(recordSchemas[name])), name).not.toThrow();
      const schema = toJsonSchema(recordSchemas[name], { draft: "draft-07" });
      expect(() => new Ajv(strictest).compile(schema), name).not.toThrow();
    }
  });

  it("keeps the defaults that a validator can fill in, and the names of fields", () => {
    const schema = toJsonSchema(recordSchemas.CustomLossGraph, { draft: "draft-07" });
    expect(schema).toMatchObject({ properties: { format: { default: 1 } } });
    const filled = { nodes: [{ op: "output", name: "n", target: "t" }] };
    expect(fastifyAjv().compile(schema)(filled)).toBe(true);
    expect(filled).toMatchObject({ format: 1, nodes: [{ args: [], kwargs: {} }] });
  });

  it("checks tuples by draft 7 as it does by draft 2020-12", () => {
    const { $schema, ...schema } = toJsonSchema(recordSchemas.GraphValue, { draft: "draft-07" });
    expect($schema).toBe("http://json-schema.org/draft-07/schema#");
    const validate = fastifyAjv().compile(schema);
    expect(validate({ slice: [1, null, { ref: "a" }] })).toBe(true);
    expect(validate({ slice: [1, null] })).toBe(false);
    expect(validate({ slice: [1, null, { reff: "a" }] })).toBe(false);
  });

  it("names its dialect unless told otherwise, and none inside another document", () => {
    const dialect = (options?: JsonSchemaOptions) => toJsonSchema(recordSchemas.Datum, options).$schema;
    expect(dialect()).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(dialect({ dialect: false })).toBeUndefined();
    expect(dialect({ refBase: "#" })).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(dialect({ refBase: "#/$defs/Datum" })).toBeUndefined();
    expect(dialect({ refBase: "#/$defs/Datum", dialect: true })).toBe(
      "https://json-schema.org/draft/2020-12/schema",
    );
  });

  it("refers into another document, and to an $id", () => {
    const references = (refBase: string) =>
      new Set(referencesOf(toJsonSchema(recordSchemas.CustomLossGraph, { refBase })));
    expect(references("records.json#")).toEqual(new Set(["records.json#/$defs/__schema0"]));
    expect(references("records.json#/g")).toEqual(new Set(["records.json#/g/$defs/__schema0"]));
  });

  it("leaves the schema of a call without options as it is in the next call", () => {
    const before = toJsonSchema(recordSchemas.CustomLossGraph);
    toJsonSchema(recordSchemas.CustomLossGraph, { refBase: "#/x", draft: "draft-07" });
    expect(toJsonSchema(recordSchemas.CustomLossGraph)).toEqual(before);
  });

  it.each<[string, unknown, string]>([
    [
      "a misspelt name",
      { refbase: "#" },
      'toJsonSchema: options: unknown field "refbase", did you mean "refBase"?',
    ],
    ["a string", "#", "toJsonSchema: options must be an object, got a string"],
    ["null", null, "toJsonSchema: options must be an object, got null"],
    [
      "an unknown draft",
      { draft: "draft-04" },
      'toJsonSchema: options.draft must be one of "draft-2020-12", "draft-07"',
    ],
    ["a number for a draft", { draft: 7 }, "toJsonSchema: options.draft must be one of"],
    [
      "a dialect that is no boolean",
      { dialect: "no" },
      "toJsonSchema: options.dialect must be true or false",
    ],
    ["a folder of schemas", { refBase: COMPONENTS }, "toJsonSchema: options.refBase must be"],
    ["no pointer", { refBase: "components" }, "toJsonSchema: options.refBase must be"],
    ["an anchor", { refBase: "#datum" }, "toJsonSchema: options.refBase must be"],
    ["a second hash", { refBase: "#/a#/b" }, "toJsonSchema: options.refBase must be"],
    ["a space", { refBase: "#/a b" }, "toJsonSchema: options.refBase must be"],
    ["no string", { refBase: 3 }, "toJsonSchema: options.refBase must be"],
  ])("refuses %s", (_, options, message) => {
    const call = () => toJsonSchema(recordSchemas.Datum, options as JsonSchemaOptions);
    expect(call).toThrow(ValidationError);
    expect(call).toThrow(message);
  });
});
