import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { createInProcessEngine } from "../compute/in-process-engine.js";
import { DataLayout } from "../disk/data-layout.js";
import { Dice } from "../testing/fuzz/dice.js";
import { passBody, TestClient } from "../testing/test-client.js";
import { startServing } from "../testing/test-server.js";

const directory = fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama/", import.meta.url));
const model = { name: "test/tiny-llama", directory };
const CLIENTS = 8;
const STEPS = 4;

/** A request of one client's program. Refused and failing ones use their number up too. */
interface Operation {
  readonly path: string;
  readonly body: (modelId: string, sequenceId: number) => object;
}

const pass = (tokens: readonly number[]): Operation => ({
  path: "/forward_backward",
  body: (modelId, sequenceId) => passBody(modelId, sequenceId, tokens),
});
const step = (learningRate: number): Operation => ({
  path: "/optim_step",
  body: (model_id, seq_id) => ({ model_id, seq_id, adam_params: { learning_rate: learningRate } }),
});
const refused: Operation = {
  path: "/optim_step",
  body: (model_id, seq_id) => ({ model_id, seq_id, adam_params: { learning_rate: "x" } }),
};
const failing: Operation = {
  path: "/forward_backward",
  body: (modelId, sequenceId) => passBody(modelId, sequenceId, [1, 100_000]),
};

function program(dice: Dice): Operation[] {
  const tokens = () => Array.from({ length: 3 + dice.below(20) }, () => 1 + dice.below(300));
  return Array.from({ length: STEPS }, () => [
    ...Array.from({ length: 1 + dice.below(2) }, () => pass(tokens())),
    ...(dice.hits(0.3) ? [dice.of([refused, failing])] : []),
    step(0.001 * (1 + dice.below(20))),
  ]).flat();
}

/** A server with a model for each client; all models begin with the same weights. */
async function serve() {
  const dataDirectory = temporaryDirectory();
  const engine = await createInProcessEngine({ model, runtime: "native", threads: 1 });
  const running = await startServing(engine, { dataDirectory });
  const client = new TestClient(running.url, model.name);
  const modelIds: string[] = [];
  for (let index = 0; index < CLIENTS; index += 1) {
    modelIds.push(await client.createModel(undefined, 0, { lora_config: { rank: 4, seed: index } }));
  }
  /** Weights and optimizer of a model, as they are on the disk once they were saved behind `sequenceId`. */
  const weightsOf = async (modelId: string, sequenceId: number): Promise<string> => {
    const saved = await client.run("/save_weights", { model_id: modelId, path: "end", seq_id: sequenceId });
    expect(saved.path, JSON.stringify(saved)).toContain("end");
    const place = { training_run_id: modelId, kind: "weights", name: "end" } as const;
    const folder = new DataLayout(dataDirectory).checkpoint(place);
    const files = ["adapter_model.safetensors", "optimizer.safetensors"];
    return (await Promise.all(files.map((file) => readFile(join(folder, file), "base64")))).join();
  };
  return { client, modelIds, weightsOf };
}

/** Sends one request; what it answers is seen to elsewhere. A sample beside it is given up half the time. */
async function send(client: TestClient, modelId: string, { path, body }: Operation, seq: number, dice: Dice) {
  if (dice.hits(0.2)) {
    const { body: answer } = await client.post("/asample", {
      base_model: model.name,
      prompt: { chunks: [{ tokens: [1, 2, 3] }] },
      sampling_params: { max_tokens: 30 },
    });
    if (dice.hits(0.5)) {
      const headers = { "content-type": "application/json" };
      const cancelled = JSON.stringify({ request_id: answer.request_id });
      await client.fetch("POST", "/cancel_future", { body: cancelled, headers });
    }
  }
  await client.post(path, body(modelId, seq));
}

describe("programs of several clients at once", () => {
  // More interleavings: TINKEX_INTERLEAVINGS=50.
  const seeds = Array.from({ length: Number(process.env.TINKEX_INTERLEAVINGS ?? 1) }, (_, seed) => seed);

  it.each(seeds)("end with the weights of a run one after the other, bit for bit (seed %i)", async (seed) => {
    const dice = new Dice(seed, "interleaved clients");
    const programs = Array.from({ length: CLIENTS }, () => program(dice));
    const serial = await serve();
    const expected: string[] = [];
    for (const [index, operations] of programs.entries()) {
      const modelId = String(serial.modelIds[index]);
      for (const [at, operation] of operations.entries()) {
        await send(serial.client, modelId, operation, at + 1, new Dice(0, "none"));
      }
      expected.push(await serial.weightsOf(modelId, operations.length + 1));
    }

    const { client, modelIds, weightsOf } = await serve();
    const queue = programs.flatMap((operations, index) =>
      operations.map((operation, at) => ({
        index,
        operation,
        seq: at + 1,
        key: dice.below(1_000) + 150 * at,
      })),
    );
    // Each client's requests come about in their order, and some before others that they wait for.
    queue.sort((a, b) => a.key - b.key);
    await Promise.all(
      queue.map(({ index, operation, seq }) => send(client, String(modelIds[index]), operation, seq, dice)),
    );
    const found = await Promise.all(
      programs.map((operations, index) => weightsOf(String(modelIds[index]), operations.length + 1)),
    );
    expect(found.map((weights, index) => weights === expected[index])).toEqual(programs.map(() => true));
    expect(new Set(found).size).toBe(CLIENTS);
  });
});
