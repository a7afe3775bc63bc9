import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer } from "./consumer.js";

describe("a project that installs @tinkex/types alone", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());
  beforeAll(async () => {
    const { exitCode, output } = await consumer.install("@tinkex/types");
    expect(exitCode, output).toBe(0);
  });

  it("compiles strictly, declarations of dependencies included, with a browser's library", async () => {
    consumer.write(
      "records.ts",
      `import { checkSent, type Datum, ModelInput, type RecordSchema, samplingParamsSchema, ValidationError } from "@tinkex/types";
export const datum: Datum = {
  model_input: ModelInput.fromInts([1, 2, 3]),
  loss_fn_inputs: { target_tokens: { data: [2, 3, 4], dtype: "int64" } },
};
export const isOurs = (error: unknown): boolean => error instanceof ValidationError;
export const tokens: number | undefined = checkSent(samplingParamsSchema, { max_tokens: 5 }, "params").max_tokens;
export const outcomeOf = <Value>(schema: RecordSchema<Value>) => schema["~standard"].validate({});
// @ts-expect-error a record without its tensors does not compile
export const incomplete: Datum = { model_input: ModelInput.fromInts([1]) };
`,
    );
    const { exitCode, output } = await consumer.compile({
      lib: ["ES2023", "DOM", "ESNext.Disposable"],
      types: [],
    });
    expect(exitCode, output).toBe(0);
  });

  it("runs, and brings no package of others", async () => {
    consumer.write(
      "run.js",
      `import { readdirSync } from "node:fs";
import { CheckpointPath, ModelInput, ValidationError } from "@tinkex/types";
import * as base from "@tinkex/base";
console.log(JSON.stringify({
  sameClass: base.ValidationError === ValidationError,
  length: ModelInput.length(ModelInput.fromInts([1, 2, 3])),
  checkpoint: CheckpointPath.parse("tinker://run/weights/step-1").checkpoint_id,
  installed: readdirSync("node_modules").filter((name) => !name.startsWith(".")),
}));`,
    );
    const { exitCode, output } = await consumer.node("run.js");
    expect(exitCode, output).toBe(0);
    expect(JSON.parse(output)).toEqual({
      sameClass: true,
      length: 3,
      checkpoint: "weights/step-1",
      installed: ["@tinkex"],
    });
  });
});
