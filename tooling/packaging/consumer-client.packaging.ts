import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer } from "./consumer.js";

/** Most bytes of the client with all that it depends on, as npm unpacks it. */
const MAX_INSTALLED_BYTES = 15_000_000;
/** Packages that only compiling takes. */
const FOR_TYPES = ["@types", "undici-types", "typescript"];

/** Bytes of the files of installed packages. */
function installedBytes(modules: string): number {
  let bytes = 0;
  for (const file of readdirSync(modules, { recursive: true, encoding: "utf8" })) {
    if (FOR_TYPES.some((name) => file.startsWith(name))) continue;
    const entry = statSync(join(modules, file));
    if (entry.isFile()) bytes += entry.size;
  }
  return bytes;
}

describe("a project that installs @tinkex/client alone", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());
  beforeAll(async () => {
    const { exitCode, output } = await consumer.install("@tinkex/client", { alongside: ["@types/node@20"] });
    expect(exitCode, output).toBe(0);
  });

  it("holds at most 15 MB, all dependencies included", () => {
    const bytes = installedBytes(join(consumer.folder, "node_modules"));
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
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
