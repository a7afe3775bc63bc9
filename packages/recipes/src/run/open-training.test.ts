import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { sft } from "../index.js";
import { localService, POCKET_MODEL } from "../testing/local-service.js";

const { service } = localService();
const train = [{ prompt: "abc", completion: " de\n" }];

/** A folder as the cookbook leaves it, with a checkpoint of a model. */
async function cookbookFolder(model: string): Promise<string> {
  const training = await service().createLoraTrainingClient({ base_model: model, rank: 4 });
  const [state, sampler] = await Promise.all([
    training.saveState("000001"),
    training.saveWeightsForSampler("000001"),
  ]);
  const folder = join(temporaryDirectory(), "run");
  mkdirSync(folder);
  const record = { name: "000001", batch: 1, state_path: state.path, sampler_path: sampler.path };
  writeFileSync(join(folder, "checkpoints.jsonl"), `${JSON.stringify(record)}\n`);
  writeFileSync(join(folder, "metrics.jsonl"), '{"step": 0}\n');
  return folder;
}

describe("a run of the cookbook that is taken over", { timeout: 240_000 }, () => {
  const common = () => ({ service: service(), rank: 4, learningRate: 1e-3, batchSize: 1, epochs: 2, train });

  it("is refused where its checkpoint is of another model than the one that is asked for", async () => {
    const runDirectory = await cookbookFolder("tinkex/pocket-2");
    await expect(sft({ ...common(), model: POCKET_MODEL, runDirectory })).rejects.toThrow(
      /checkpoint 000001, tinker:.* is of the model tinkex\/pocket-2, and model is tinkex\/pocket-1; choose another directory/,
    );
    expect(await new RunReader(runDirectory).metrics()).toEqual([{ step: 0 }]);
  });

  it("goes on where it is of that model", async () => {
    const runDirectory = await cookbookFolder(POCKET_MODEL);
    const { steps } = await sft({ ...common(), model: POCKET_MODEL, runDirectory });
    expect(steps).toBe(2);
    expect((await new RunReader(runDirectory).metrics()).map(({ step }) => step)).toEqual([0, 1]);
  });
});
