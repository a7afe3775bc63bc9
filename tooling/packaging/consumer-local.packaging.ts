import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Consumer } from "./consumer.js";
import { tarballsFor } from "./public-packages.js";

const NATIVE_LIBRARY = join("node_modules", "onnxruntime-node");

/** Trains for three steps on the built-in model and prints the losses and what computed them. */
const TRAIN = `import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
const server = await startLocalServer();
const service = new ServiceClient({ baseUrl: server.url });
try {
  const training = await service.createLoraTrainingClient({ base_model: server.models[0].name, rank: 8, seed: 1 });
  const tokenizer = await training.getTokenizer();
  const tokens = tokenizer.encode("the cat sat on the mat");
  const datum = { model_input: { chunks: [{ type: "encoded_text", tokens: tokens.slice(0, -1) }] },
    loss_fn_inputs: { target_tokens: tokens.slice(1), weights: tokens.slice(1).map(() => 1) } };
  const losses = [];
  for (let step = 0; step < 3; step++) {
    const pass = training.forwardBackward([datum], "cross_entropy");
    await training.optimStep({ learning_rate: 1e-3 });
    losses.push((await pass).metrics["loss:sum"]);
  }
  console.log(JSON.stringify({ losses, runtime: server.models[0].runtime }));
} finally {
  await service.close();
  await server.close();
}`;

// One project, which is installed in full once: what each statement adds is the library in question alone.
describe("a project that installs @tinkex/local and @tinkex/client", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());

  async function trainAfterInstalling(options: {
    readonly npmArgs?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }): Promise<{ losses: number[]; runtime: string }> {
    rmSync(join(consumer.folder, NATIVE_LIBRARY), { recursive: true, force: true });
    const installed = await consumer.install("@tinkex/local", {
      alongside: tarballsFor("@tinkex/client"),
      ...options,
    });
    expect(installed.exitCode, installed.output).toBe(0);
    consumer.write("train.js", TRAIN);
    const { exitCode, output } = await consumer.node("train.js");
    expect(exitCode, output).toBe(0);
    return JSON.parse(output.trim().split("\n").at(-1) ?? "");
  }

  const hasNativeLibrary = () => existsSync(join(consumer.folder, NATIVE_LIBRARY));

  it("trains on wasm without the optional native library", async () => {
    const { losses, runtime } = await trainAfterInstalling({ npmArgs: ["--omit=optional"] });
    expect(hasNativeLibrary()).toBe(false);
    expect(runtime).toBe("wasm");
    expect(losses[2]).toBeLessThan(losses[0] ?? 0);
  });

  it("trains natively with the native library's own download skipped", async () => {
    const { losses, runtime } = await trainAfterInstalling({ env: { ONNXRUNTIME_NODE_INSTALL: "skip" } });
    expect(runtime).toBe("native");
    expect(losses[2]).toBeLessThan(losses[0] ?? 0);
  });

  it("installs and trains with a plain npm install, wherever the download may go", async () => {
    const { losses } = await trainAfterInstalling({});
    expect(losses[2]).toBeLessThan(losses[0] ?? 0);
  });
});
