// Recovery after a crash: trains in a process that is killed in the middle, by no signal that it could catch, starts it again by the same command,
// and comes to the same loss as a run that nothing has disturbed.
//
//   node apps/examples/dist/crash-recovery.js --seed 1
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ServiceClient } from "@tinkex/client";
import { sft } from "@tinkex/recipes";
import { RunReader } from "@tinkex/runs";
import { openExample } from "./recipes/example-service.js";
import { pigLatin, wordsOf } from "./recipes/pig-latin.js";
import { samplerAgainstTrainer } from "./recipes/sampler-against-trainer.js";

/** Trains, and kills its own process behind a step where one is given. */
async function train(baseUrl: string, runDirectory: string, killBehind: number | undefined) {
  const { TRAIN_MODEL: model = "", TRAIN_SEED, TRAIN_STEPS } = process.env;
  await using service = new ServiceClient(baseUrl === "" ? {} : { baseUrl });
  await sft({
    ...{ service, model, runDirectory, seed: Number(TRAIN_SEED), maxSteps: Number(TRAIN_STEPS) },
    ...{ batchSize: 10, epochs: 10, rank: 8, learningRate: 2e-3, saveEvery: 4 },
    train: wordsOf("pig-latin-train").map((word) => ({
      prompt: `Pig Latin: ${word} ->`,
      completion: ` ${pigLatin(word)}\n`,
    })),
    onMetrics: (step) => {
      if (step === killBehind) process.kill(process.pid, "SIGKILL");
    },
  });
}

/** Runs this program again as a process that trains. @returns the signal that ended it */
async function trainInProcess(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<unknown> {
  const program = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [...process.execArgv, program, "train", ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code, signal] = await once(child, "exit");
  if (code !== 0 && signal === null) throw new Error(`the training process ended with code ${code}`);
  return signal;
}

async function main(): Promise<void> {
  await using example = await openExample(12);
  const { service, baseUrl = "", model, seed, steps, figures } = example;
  const folder = await mkdtemp(join(tmpdir(), "tinkex-crash-"));
  const env = { TRAIN_MODEL: model, TRAIN_SEED: String(seed), TRAIN_STEPS: String(steps) };
  const lossIn = async (name: string): Promise<number> =>
    Number((await new RunReader(join(folder, name)).metrics()).at(-1)?.train_mean_nll);
  try {
    const kl = await samplerAgainstTrainer(service, model, wordsOf("pig-latin-train").slice(0, 4));
    figures.agreement(kl);
    await trainInProcess(env, baseUrl, join(folder, "whole"));
    const half = Math.floor(steps / 2);
    const broken = [baseUrl, join(folder, "broken")];
    console.log(`ended by ${await trainInProcess(env, ...broken, String(half))} behind step ${half + 1}`);
    await trainInProcess(env, ...broken);
    const rows = await new RunReader(join(folder, "broken")).metrics();
    console.log(`steps written: ${rows.map(({ step }) => step).join(" ")}`);
    const [whole, again] = [await lossIn("whole"), await lossIn("broken")];
    console.log(`loss: ${whole.toFixed(6)} undisturbed, ${again.toFixed(6)} after the crash`);
    figures.below("difference of the losses", Math.abs(whole - again), 1e-6);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const [mode, baseUrl = "", runDirectory = "", killBehind] = process.argv.slice(2);
if (mode === "train")
  await train(baseUrl, runDirectory, killBehind === undefined ? undefined : Number(killBehind));
else await main();
