import { expect, it } from "vitest";
import { adaptableModules } from "./adaptable-modules.js";
import { readModelConfig } from "./read-model-config.js";

const config = (model: string) =>
  readModelConfig(new URL(`../../fixtures/numerics/models/${model}`, import.meta.url).pathname);
const biased = (model: string) =>
  adaptableModules(config(model)).flatMap(({ module, hasBias }) => (hasBias ? [module] : []));

it("gives the queries, keys and values of Qwen2 a bias, and nothing else", () => {
  expect(biased("tiny-qwen2")).toEqual(
    [0, 1].flatMap((layer) => ["q", "k", "v"].map((part) => `model.layers.${layer}.self_attn.${part}_proj`)),
  );
  expect(biased("tiny-llama")).toEqual([]);
});
