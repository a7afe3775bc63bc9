import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { smallestAnswers } from "../testing/smallest-answers.js";
import { toJsonSchema } from "./json-schema.js";
import { type RecordName, recordSchemas } from "./record-schemas.js";

/** A validator that knows nothing of ours. Formats are left out: they are notes in JSON Schema. */
const ajv = new Ajv2020({ strictTypes: false, validateFormats: false });

function validator(name: RecordName) {
  return ajv.compile(toJsonSchema(recordSchemas[name]));
}

describe("records for other tools", () => {
  it.each(Object.entries(recordSchemas))(
    "%s has a JSON Schema that is valid and says something",
    (_, schema) => {
      const { type, anyOf, oneOf, ...rest } = toJsonSchema(schema);
      expect(type ?? anyOf ?? oneOf).toBeDefined();
      expect(() => ajv.compile({ type, anyOf, oneOf, ...rest })).not.toThrow();
    },
  );

  it("can be asked by zod's own method for every record, where it may leave out what it cannot represent", () => {
    const ask = ({ "~standard": standard }: object & { "~standard": object }, libraryOptions?: object) => {
      const { jsonSchema } = standard as {
        jsonSchema: Record<"input" | "output", (options: object) => object>;
      };
      return [jsonSchema.input, jsonSchema.output].map((write) =>
        write({ target: "draft-2020-12", libraryOptions }),
      );
    };
    for (const schema of Object.values(recordSchemas)) {
      for (const written of ask(schema, { unrepresentable: "any" })) expect(written).toBeTypeOf("object");
    }
    expect(() => ask(recordSchemas.Datum)).toThrow("cannot be represented in JSON Schema");
    // Were it right without, the README would send nobody elsewhere.
    expect(ask(recordSchemas.GetInfoResponse, { unrepresentable: "any" })[0]).not.toEqual(
      toJsonSchema(recordSchemas.GetInfoResponse),
    );
  });

  it.each(Object.entries(smallestAnswers))("the JSON Schema of %s takes its smallest body", (name, body) => {
    const validate = validator(name as RecordName);
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body as Record<string, unknown>;
      expect(validate(rest), field).toBe(false);
    }
  });

  const prompt = {
    chunks: [
      { tokens: [1, 2], type: "encoded_text" },
      { data: "/9j/", format: "jpeg" },
    ],
  };
  const tensor = { data: [1.5, 2], dtype: "float32", shape: [2] };
  const node = { op: "call_function", name: "n", target: "t", args: [{ tuple: [{ ref: "a" }, null, 1.5] }] };

  it.each<[RecordName, object]>([
    [
      "SampleRequest",
      { prompt, sampling_params: { stop: ["a"], seed: 5 }, sampling_session_id: "s", seq_id: 0 },
    ],
    ["Datum", { model_input: prompt, loss_fn_inputs: { weights: tensor } }],
    ["OptimStepRequest", { optimizer_params: { type: "zeta", any: [1] }, model_id: "m", seq_id: 1 }],
    ["CreateSessionRequest", { tags: [], user_metadata: { a: [null, { b: 1 }] }, sdk_version: "0.38.0" }],
    ["SessionSearchRequest", { owner: { type: "user", owner_urns: ["u"] }, statuses: [{ type: "active" }] }],
    ["CustomLossGraph", { nodes: [node] }],
  ])("the JSON Schema of %s takes what is sent, and no unknown field", (name, record) => {
    const validate = validator(name);
    expect(validate(record), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...record, unknown_field: 1 })).toBe(false);
  });

  it.each<[RecordName, unknown]>([
    ["SamplingParams", { stop: ["a", 1.5] }],
    ["ModelInput", { chunks: [{ type: "encoded_txt", tokens: [1] }] }],
    ["ForwardBackwardInput", { data: [], loss_fn: "mse" }],
    ["GraphValue", { reff: "a" }],
    ["TensorData", { data: [1], dtype: "int32" }],
  ])("the JSON Schema of %s refuses %j", (name, record) => {
    expect(validator(name)(record)).toBe(false);
  });

  it("describes fields, defaults and alternatives", () => {
    expect(toJsonSchema(recordSchemas.CustomLossInput)).toMatchObject({
      type: "object",
      properties: { rank: { enum: [0, 1, 2] } },
      required: ["name", "rank"],
      additionalProperties: false,
    });
    expect(toJsonSchema(recordSchemas.ClientDynamicConfigResponse)).toMatchObject({
      properties: { refresh_interval_sec: { type: "integer", default: 300 } },
    });
    expect(toJsonSchema(recordSchemas.ModelInput)).toMatchObject({
      properties: { chunks: { type: "array", items: { anyOf: { length: 4 } } } },
    });
  });

  it("is a Standard Schema", async () => {
    const { version, vendor, validate } = recordSchemas.SamplingParams["~standard"];
    expect([version, vendor]).toEqual([1, "zod"]);
    expect(await validate({ temperature: 0.5 })).toEqual({ value: { temperature: 0.5 } });
    expect(await validate({ temperature: "hot" })).toMatchObject({ issues: [{ path: ["temperature"] }] });
  });
});
