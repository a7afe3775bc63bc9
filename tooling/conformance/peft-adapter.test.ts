import { join } from "node:path";
import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { runPython } from "./run-python.js";

/** Largest difference between what PyTorch and the local server compute from the same weights. */
const TOLERANCE = 1e-4;
const MODULES = ["peft", "torch", "transformers"];
const TOKENS = [116, 104, 101, 32, 99, 97, 116, 32, 115, 97, 116, 10];

interface Line {
  readonly adapter: string | null;
  readonly logprobs: readonly number[];
  readonly layers?: number;
}

function gapOf(a: ArrayLike<number>, b: readonly number[]): number {
  return Math.max(...Array.from(a, (value, index) => Math.abs(value - (b[index] ?? Number.NaN))));
}

it("a checkpoint that was downloaded is an adapter that Python's peft loads, with the log-probabilities of the server", {
  timeout: 600_000,
}, async ({ skip }) => {
  const available = await runPython("peft_adapter.py", MODULES, ["--check"], process.env);
  if ("missing" in available) return skip(available.missing);
  await using server = await startLocalServer();
  const [model] = server.models;
  await using service = new ServiceClient({ baseUrl: server.url, env: {} });
  const training = await service.createLoraTrainingClient({
    base_model: model?.name ?? "",
    rank: 8,
    seed: 3,
  });
  const datum = { model_input: TOKENS.slice(0, -1), loss_fn_inputs: { target_tokens: TOKENS.slice(1) } };
  for (let step = 0; step < 5; step += 1)
    await training.trainStep([datum], "cross_entropy", { learning_rate: 1e-2 });
  const { loss_fn_outputs } = await training.forward([datum], "cross_entropy");
  const trained = loss_fn_outputs[0]?.logprobs?.data ?? [];
  await training.saveState("weights");
  const { path } = await training.saveWeightsForSampler("sampler");
  const { path: exported } = await training.saveWeightsExternal("export");
  const folder = temporaryDirectory();
  const directories: string[] = [];
  for (const [index, each] of [path, exported, `tinker://${training.modelId}/weights/weights`].entries()) {
    const { directory, isPeftAdapter } = await service.rest.downloadCheckpoint(
      each,
      join(folder, String(index)),
    );
    expect(isPeftAdapter).toBe(true);
    directories.push(directory);
  }
  const args = [model?.directory ?? "", JSON.stringify(TOKENS), ...directories];
  const outcome = await runPython("peft_adapter.py", MODULES, args, process.env);
  if ("missing" in outcome) return skip(outcome.missing);
  const [base, ...adapters] = outcome.lines.map((line): Line => JSON.parse(line));
  expect(adapters).toHaveLength(3);
  const gaps = adapters.map(({ logprobs }) => gapOf(trained, logprobs));
  console.log(
    `peft: ${adapters[0]?.layers} layers adapted; log-probabilities ${Math.max(...gaps)} from the server's`,
  );
  expect(Math.max(...gaps)).toBeLessThan(TOLERANCE);
  // The adapter does something: without it the model is far from what was trained.
  expect(gapOf(trained, base?.logprobs ?? [])).toBeGreaterThan(1_000 * TOLERANCE);
});
