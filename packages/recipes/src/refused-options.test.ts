import { ServiceClient } from "@tinkex/client";
import { expect, it } from "vitest";
import { distill, dpo, evaluate, fineTune, generate, rl, sft } from "./index.js";

const service = new ServiceClient({ baseUrl: "http://127.0.0.1:9", env: {}, apiKey: "tml-none" });
const model = "tinkex/pocket-1";
const common = { service, model, learningRate: 1e-3 };
const train = [{ prompt: "a", completion: "b" }];
const asked = { problems: ["a"], prompt: (text: string) => text, maxTokens: 1 };
const pairs = [{ prompt: "a", chosen: "b", rejected: "c" }];

/** Starts each recipe with options beside good ones. */
const recipes: Readonly<Record<string, (more: object) => unknown>> = {
  sft: (more) => sft({ ...common, train, ...more }),
  fineTune: (more) => fineTune({ ...common, train, ...more }),
  rl: (more) => rl({ ...common, ...asked, reward: () => 1, ...more }),
  dpo: (more) => dpo({ ...common, pairs, ...more }),
  distill: (more) => distill({ ...common, ...asked, teacher: model, ...more }),
  evaluate: (more) => evaluate({ service, sampler: model, ...asked, score: () => 1, ...more }),
  generate: (more) => generate({ service, sampler: model, prompts: ["a"], maxTokens: 1, ...more }),
};

const training = ["sft", "fineTune", "rl", "dpo", "distill"];
const learning = ["sft", "fineTune"];
const sampling = ["rl", "distill", "evaluate", "generate"];

/** A schema that cannot be written as JSON Schema, such as one with a transform. */
const unshown = {
  "~standard": {
    ...{ version: 1, vendor: "own", validate: (value: unknown) => ({ value }) },
    jsonSchema: {
      input: () => {
        throw new Error("no transforms");
      },
    },
  },
};

it.each([
  [
    training,
    "schedule",
    "exponential",
    'schedule must be "linear", "cosine" or "constant", got "exponential"',
  ],
  [training, "adam", { beta1: 2 }, "adam: beta1: must be below 1, got 2"],
  [training, "adam", 3, "adam"],
  [["sft", "fineTune", "rl", "distill"], "evaluators", [3], "evaluators[0] must be a function"],
  [["sft", "fineTune", "rl", "distill"], "evaluators", () => ({}), "evaluators must be an array"],
  [
    ["sft"],
    "train",
    "chats.jsonl",
    'train must be an array or an iterable, got "chats.jsonl"; chatsFromJsonl(path) reads a file of chats',
  ],
  [
    ["sft"],
    "test",
    "chats.jsonl",
    'test must be an array or an iterable, got "chats.jsonl"; chatsFromJsonl(path)',
  ],
  [
    ["fineTune"],
    "train",
    ["a.jsonl", "b.jsonl"],
    "train must be the path of one file, or examples, got an array of strings",
  ],
  [
    ["sft", "fineTune", "rl", "distill"],
    "learningRate",
    undefined,
    'learningRateFor: "tinkex/pocket-1" is not in the table of models; give a learningRate',
  ],
  [[...learning, "evaluate"], "trainOn", "answers", 'trainOn must be "last_assistant_message"'],
  [[...learning, "evaluate"], "reduction", "sum", 'reduction must be "mean" or "none", got "sum"'],
  [["rl", "distill"], "lossFn", "mse", 'lossFn must be one of "importance_sampling", "ppo"'],
  [["rl", "distill"], "lossFn", "cross_entropy", "lossFn must be one of"],
  [["rl", "distill"], "lossFn", "custom", "lossFn must be one of"],
  [sampling, "stop", [5], "stop[0] must be a string"],
  [sampling, "stop", ["\n", ""], 'stop[1] must be a text, e.g. "\\n", got ""'],
  [sampling, "stop", "\n", "stop must be an array"],
  [sampling, "temperature", -1, "temperature must be"],
  [sampling, "temperature", "0", "temperature must be"],
  [["rl", "distill"], "temperature", 0, "temperature must be above 0, got 0"],
  [[...training, ...sampling], "signal", {}, "signal must be an AbortSignal"],
  [[...training, ...sampling], "renderer", 5, "renderer must be a renderer or the name of one, got 5"],
  [[...training, ...sampling], "renderer", "", 'renderer must be a renderer or the name of one, got ""'],
  [
    [...training, ...sampling],
    "renderer",
    {},
    "renderer must be a renderer or the name of one, got an object",
  ],
  [
    ["rl", "distill", "evaluate"],
    "tools",
    { look: { description: "Looks.", execute: () => "", inputSchema: unshown } },
    "tools.look.inputSchema cannot be shown to the model as a JSON Schema (no transforms); give one without",
  ],
  [["evaluate"], "name", "", 'name must be a text, e.g. "test", got ""'],
] as const)("%s refuse a bad %s at the call, with its name", (names, option, value, fault) => {
  for (const name of names) {
    expect(() => recipes[name]?.({ [option]: value }), name).toThrow(`${name}: ${fault}`);
  }
});

it("a recipe with too few examples for one step names its own options", async () => {
  await expect(rl({ ...common, ...asked, reward: () => 1 })).rejects.toThrow(
    "rl: problems must have at least 16, enough for one step, got 1; lower groupsPerBatch",
  );
});

it("samplers side by side must all have names, which their metrics begin with", () => {
  const named = { service, samplers: { "": model, other: model }, ...asked, score: () => 1 };
  expect(() => evaluate(named)).toThrow("evaluate: samplers must have names, got one without");
});
