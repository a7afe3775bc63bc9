import { describe, expect, it } from "vitest";
import { toJsonSchema } from "./json-schema.js";
import { recordSchemas } from "./record-schemas.js";

describe("records for other tools", () => {
  it.each(Object.entries(recordSchemas))("%s has a JSON Schema that says something", (_, schema) => {
    const { type, anyOf, oneOf } = toJsonSchema(schema);
    expect(type ?? anyOf ?? oneOf).toBeDefined();
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
