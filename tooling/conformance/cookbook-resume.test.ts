import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { RecipeEvent, SftOptions } from "@tinkex/recipes";
import { RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished } from "vitest";

const SCRIPT = fileURLToPath(new URL("cookbook_runs.py", import.meta.url));
const WORDS = "ant bee cat dog elk fox gnu hen owl pig ram yak".split(" ");

/** Trains by the cookbook's supervised loop, and ends its process before a step. */
async function trainInPython(python: string, folder: string, url: string, endStep: number): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    PYTHONDONTWRITEBYTECODE: "1",
    HOME: folder,
    // The tokenizer comes from the server, and nothing from elsewhere.
    HF_ENDPOINT: url,
    HF_HUB_DISABLE_TELEMETRY: "1",
    TINKER_API_KEY: "tml-local",
    TINKER_TELEMETRY: "0",
  };
  const args = [SCRIPT, "train", join(folder, "run"), url, String(endStep)];
  await promisify(execFile)(python, args, { cwd: folder, env, maxBuffer: 2 ** 28 });
}

const stepsIn = async (directory: string) =>
  (await new RunReader(directory).metrics()).flatMap(({ step }) => step ?? []);
const ALL_STEPS = Array.from({ length: 9 }, (_, step) => step);

async function prepared() {
  // Loaded where they are needed: without a Python all of this is skipped.
  const { ServiceClient } = await import("@tinkex/client");
  const { startLocalServer } = await import("@tinkex/local");
  const { sft } = await import("@tinkex/recipes");
  const folder = temporaryDirectory();
  const server = await startLocalServer({ seed: 1 });
  const service = new ServiceClient({ baseUrl: server.url, env: {} });
  onTestFinished(async () => {
    await service.close();
    await server.close();
  });
  const options: SftOptions = {
    service,
    model: "tinkex/pocket-1",
    runDirectory: join(folder, "run"),
    train: WORDS.map((word) => ({ prompt: `${word}:`, completion: ` ${word}${word}\n` })),
    learningRate: 3e-3,
    rank: 4,
    batchSize: 4,
    epochs: 3,
    saveEvery: 4,
  };
  return { folder, url: server.url, options, sft };
}

const python = process.env.TINKEX_CONFORMANCE_PYTHON;
if (python === undefined)
  console.warn("skipped: runs of the cookbook's loop: TINKEX_CONFORMANCE_PYTHON names no Python");

it.skipIf(python === undefined)(
  "cookbook 20: a run of the cookbook's supervised loop that ended in its second epoch goes on here, with its optimizer, to its last step",
  { timeout: 600_000 },
  async () => {
    const { folder, url, options, sft } = await prepared();
    await trainInPython(python ?? "", folder, url, 6);
    const directory = join(folder, "run");
    expect(await stepsIn(directory)).toEqual([0, 1, 2, 3, 4]);
    const [checkpoint] = await new RunReader(directory).checkpoints();
    expect(checkpoint).toMatchObject({ name: "000004", epoch: 1, batch: 1 });
    const events: RecipeEvent[] = [];
    const run = sft(options);
    for await (const event of run) events.push(event);
    expect(events[0]).toEqual({
      type: "start",
      step: 4,
      totalSteps: 9,
      resumedFrom: checkpoint?.state_path,
    });
    expect(await stepsIn(directory)).toEqual(ALL_STEPS);
    const rows = await new RunReader(directory).metrics();
    expect(Number(rows[4]?.train_mean_nll)).toBeLessThan(Number(rows[0]?.train_mean_nll));
    expect(rows.map(({ epoch }) => epoch)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
  },
);

it.skipIf(python === undefined)(
  "cookbook 20: a run of ours that ended in its second epoch goes on in the cookbook's loop, at the same batch",
  { timeout: 600_000 },
  async () => {
    const { folder, url, options, sft } = await prepared();
    const controller = new AbortController();
    const onMetrics = (step: number): void => {
      if (step === 5) controller.abort(new Error("stopped"));
    };
    await expect(sft({ ...options, onMetrics, signal: controller.signal })).rejects.toThrow();
    await trainInPython(python ?? "", folder, url, 100);
    const directory = join(folder, "run");
    expect(await stepsIn(directory)).toEqual(ALL_STEPS);
    const checkpoints = await new RunReader(directory).checkpoints();
    expect(checkpoints.map(({ name, epoch, batch }) => [name, epoch, batch])).toEqual([
      ["000004", 1, 1],
      // The cookbook saves the step it goes on from once more.
      ["000004", 1, 1],
      ["000008", 2, 2],
      ["final", 3, 0],
    ]);
    // A run that has ended there has ended here.
    const events: RecipeEvent[] = [];
    const run = sft(options);
    for await (const event of run) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["done"]);
    expect(await stepsIn(directory)).toEqual(ALL_STEPS);
  },
);
