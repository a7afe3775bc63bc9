import { describe, expect, it } from "vitest";
import * as z from "zod";
import { recordBody } from "./record-body.js";

const stepBody = recordBody("OptimStepRequest")(["model_id"], {
  seq_id: z.int().optional(),
  adam_params: recordBody("AdamParams")(["learning_rate", "beta1"], {}).optional(),
});

const issuesOf = (value: unknown) =>
  stepBody.safeParse(value).error?.issues.map(({ code, path, message }) => ({ code, path, message }));

describe("recordBody", () => {
  it("takes known fields, ignores unknown ones, and reads null as absent, also within", () => {
    const sent = { model_id: "m", seq_id: null, type: "optim_step", later: 1 };
    expect(stepBody.parse(sent)).toEqual({ model_id: "m" });
    expect(
      stepBody.parse({ ...sent, seq_id: 2, adam_params: { beta1: null, learning_rate: 1, x: 2 } }),
    ).toEqual({ model_id: "m", seq_id: 2, adam_params: { learning_rate: 1 } });
  });

  it("asks of a taken field what the record's schema asks, in its words", () => {
    const string = "Invalid input: expected string, received undefined";
    expect(issuesOf({})).toEqual([{ code: "invalid_type", path: ["model_id"], message: string }]);
    expect(issuesOf({ model_id: "" })).toMatchObject([{ code: "too_small", path: ["model_id"] }]);
    expect(issuesOf({ model_id: "m", adam_params: { beta1: "x" } })).toMatchObject([
      { code: "invalid_type", path: ["adam_params", "beta1"] },
    ]);
  });

  it("leaves the rules across fields, and the fields with a schema of their own, to others", () => {
    const neither = { model_id: "m" };
    expect(stepBody.parse(neither)).toEqual(neither);
    expect(stepBody.parse({ model_id: "m", seq_id: -1 })).toEqual({ model_id: "m", seq_id: -1 });
    expect(issuesOf({ model_id: "m", seq_id: "x" })).toMatchObject([{ path: ["seq_id"] }]);
  });

  it.each([[undefined], [null], ["text"], [[{ model_id: "m" }]]])(
    "refuses %j, which is no object",
    (value) => {
      expect(issuesOf(value)).toMatchObject([{ code: "invalid_type", path: [] }]);
    },
  );

  it("does not compile with a field that the record does not have", () => {
    const build = () => [
      // @ts-expect-error: the record has no such field
      recordBody("OptimStepRequest")(["modelId"], {}),
      // @ts-expect-error: the record has no such field
      recordBody("OptimStepRequest")(["model_id"], { sequence_id: z.int() }),
      // @ts-expect-error: the field is taken already
      recordBody("OptimStepRequest")(["model_id"], { model_id: z.string() }),
    ];
    expect(build).toBeTypeOf("function");
  });
});
