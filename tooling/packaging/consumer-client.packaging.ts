import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer } from "./consumer.js";

describe("a project that installs @tinkex/client alone", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());
  beforeAll(async () => {
    const { exitCode, output } = await consumer.install("@tinkex/client", { alongside: ["@types/node@20"] });
    expect(exitCode, output).toBe(0);
  });

  it("compiles strictly, declarations of dependencies included", async () => {
    consumer.write(
      "train.ts",
      `import { type ApiFuture, type PassOutput, ServiceClient } from "@tinkex/client";
export async function train(): Promise<number | undefined> {
  await using service = new ServiceClient({ apiKey: "tml-key", baseUrl: "http://127.0.0.1:1" });
  const training = await service.createLoraTrainingClient({ base_model: "tinkex/pocket-1", rank: 8 });
  const datum = { model_input: { chunks: [{ type: "encoded_text" as const, tokens: [1, 2] }] }, loss_fn_inputs: { target_tokens: [2, 3] } };
  const pass: ApiFuture<PassOutput> = training.forwardBackward([datum], "cross_entropy");
  // @ts-expect-error a loss that does not exist does not compile
  training.forwardBackward([datum], "cross_entropie");
  await training.optimStep({ learning_rate: 1e-4 });
  return (await pass).metrics["loss:sum"];
}
`,
    );
    const { exitCode, output } = await consumer.compile({
      lib: ["ES2023", "ESNext.Disposable"],
      types: ["node"],
    });
    expect(exitCode, output).toBe(0);
  });

  it("runs without a server until it needs one, and ends by itself", async () => {
    consumer.write(
      "run.js",
      `import { ServiceClient } from "@tinkex/client";
const service = new ServiceClient({ apiKey: "tml-key", baseUrl: "http://127.0.0.1:1" });
await service.close();
console.log("closed");`,
    );
    const { exitCode, output } = await consumer.node("run.js");
    expect(output.trim()).toBe("closed");
    expect(exitCode).toBe(0);
  });
});
