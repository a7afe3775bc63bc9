import { ValidationError } from "@tinkex/base";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { modelInputSchema } from "../records/data/model-input.js";
import { sampleRequestSchema } from "../records/sampling/sampling.js";
import { samplingParamsSchema } from "../records/sampling/sampling-params.js";
import { toJsonSchema } from "../schema/json-schema.js";
import type { RecordSchema } from "../schema/record-schema.js";
import { type RecordName, recordSchemas } from "../schema/record-schemas.js";
import { RECORD_DESCRIPTIONS } from "./data/record-descriptions.js";
import { describeRecords } from "./describe-records.js";

const describeAll = describeRecords(recordSchemas);
const described = (schema: RecordSchema<unknown>, words = describeAll) =>
  toJsonSchema(schema, { describe: words });

/** A JSON Schema without its descriptions. */
function withoutWords(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutWords);
  if (typeof node !== "object" || node === null) return node;
  const kept = Object.entries(node).filter(
    ([key, value]) => key !== "description" || typeof value !== "string",
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutWords(value)]));
}

// samchungy/fastify-zod-openapi#241, fastify/fastify-swagger#795: what is said of a record is lost on its way into a document.
describe("descriptions in a JSON Schema", () => {
  it("are those of the declarations: of the record, of its fields, and of records in it", () => {
    const { description, properties } = described(sampleRequestSchema);
    expect(description).toBe(RECORD_DESCRIPTIONS.SampleRequest?.description);
    expect(properties).toMatchObject({
      prompt_logprobs_last_n: {
        description: "Score the last n prompt tokens only; needs `prompt_logprobs`. Since 0.38.",
      },
      sampling_params: { properties: { temperature: { description: "0 = greedy." } } },
    });
  });

  it("put a field's own words before those of the record that it holds, and in no other place", () => {
    const Pair = {
      description: "A pair.",
      fields: { prompt: "The first.", not_there: "Nothing.", toString: "Nothing." },
    };
    const words = (schema: RecordSchema<unknown>) =>
      schema === sampleRequestSchema
        ? Pair
        : schema === modelInputSchema
          ? { description: "An input." }
          : undefined;
    const { properties } = described(sampleRequestSchema, words);
    expect(properties).toMatchObject({ prompt: { description: "The first." } });
    expect(Object.keys(properties as object)).not.toContain("not_there");
    expect(described(modelInputSchema, words).description).toBe("An input.");
  });

  it.each(Object.keys(recordSchemas) as RecordName[])("leave the schema of %s what it is", (name) => {
    const written = described(recordSchemas[name]);
    expect(withoutWords(written)).toEqual(withoutWords(toJsonSchema(recordSchemas[name])));
    expect(JSON.stringify(written)).not.toContain("x-field-words");
    expect(written.description).toBe(RECORD_DESCRIPTIONS[name]?.description);
    expect(() => new Ajv2020({ strictTypes: false, validateFormats: false }).compile(written)).not.toThrow();
    const older = toJsonSchema(recordSchemas[name], { describe: describeAll, draft: "draft-07" });
    expect(() => new Ajv({ strictTypes: false, validateFormats: false }).compile(older)).not.toThrow();
  });

  it("are there of nearly every record, and are no part of a schema that nobody asked them of", () => {
    const names = Object.keys(recordSchemas);
    expect(names.filter((name) => !(name in RECORD_DESCRIPTIONS))).toEqual([]);
    expect(JSON.stringify(toJsonSchema(samplingParamsSchema))).not.toContain("greedy");
  });

  it("are refused as no object, or no function", () => {
    expect(() => describeRecords(undefined as never)).toThrow(ValidationError);
    expect(() => toJsonSchema(samplingParamsSchema, { describe: 5 as never })).toThrow(
      "toJsonSchema: options.describe must be a function, got 5",
    );
    for (const words of [null, 5, {}, { description: 5n }, { description: "a", fields: { seed: 5n } }]) {
      const convert = () => toJsonSchema(samplingParamsSchema, { describe: () => words as never });
      expect(convert).toThrow(ValidationError);
      expect(convert).toThrow(/what options\.describe gives/);
    }
  });
});
