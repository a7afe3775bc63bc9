import { existsSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { dpo, sft } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const settings = { model: POCKET_MODEL, rank: 4, learningRate: 1e-3, batchSize: 1 };
const short = { prompt: "abc", completion: " de\n" };
/** Longer than the 512 tokens of the model. */
const long = { prompt: "ab ".repeat(600), completion: " de\n" };

describe("examples that are longer than the context of the model", { timeout: 240_000 }, () => {
  it("are all named before the first step is paid for", async () => {
    const calls: string[] = [];
    const spied = spiedService(service(), (call) => calls.push(call));
    const runDirectory = join(temporaryDirectory(), "run");
    const train = [short, long, short, { ...long, prompt: `${long.prompt}x` }];
    await expect(sft({ ...settings, service: spied, train, test: [short], runDirectory })).rejects.toThrow(
      /^sft: train\[1\]: an example must have at most 512 tokens, the context of tinkex\/pocket-1, got \d+; leave it out, or cut examples by maxLength; sft: train\[3\]: an example/,
    );
    await expect(sft({ ...settings, service: spied, train: [short], test: [long] })).rejects.toThrow(
      /^sft: test\[0\]: an example must have at most 512 tokens/,
    );
    const pair = { prompt: long.prompt, chosen: "a", rejected: "b" };
    await expect(dpo({ ...settings, service: spied, pairs: [pair] })).rejects.toThrow(
      /^dpo: pairs\[0\]: an answer with its prompt must have at most 512 tokens/,
    );
    expect(calls).not.toContain("forwardBackward");
    expect(calls).not.toContain("forwardBackwardCustom");
    expect(existsSync(join(runDirectory, "metrics.jsonl"))).toBe(false);
    // The folder is as good as new: the data may be mended.
    expect((await sft({ ...settings, service: spied, train, maxLength: 512, runDirectory })).steps).toBe(2);
  });

  it("are left to a service that does not say how long its contexts are", async () => {
    const silent = new Proxy(service(), {
      get(target, name) {
        if (name === "getServerCapabilities")
          return async () => ({ supported_models: [{ model_name: POCKET_MODEL }] });
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const run = sft({ ...settings, service: silent, train: [long] });
    await expect(run).rejects.toThrow(
      /forwardBackward failed on the service: .* must have at most 512 tokens/,
    );
  });
});
