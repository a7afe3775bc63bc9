import { expect, it } from "vitest";
import { openGoldenModel } from "./testing/golden-files.js";
import { tokensPerRun } from "./tokens-per-run.js";

const { config } = openGoldenModel("tiny-llama");

/** The sizes of SmolLM2-135M. */
const large = {
  ...config,
  vocabularySize: 49_152,
  layerCount: 30,
  hiddenSize: 576,
  intermediateSize: 1536,
  headCount: 9,
};

it("is bound by speed for a small model", () => {
  expect(tokensPerRun(config)(64)).toBe(2048);
});

it("is bound by memory for a large one, and more so for long rows, whose attention grows with their length", () => {
  expect(tokensPerRun(large)(128)).toBe(688);
  expect(tokensPerRun(large)(512)).toBe(535);
  expect(tokensPerRun(large)(2048)).toBe(283);
});

it("takes no more than the bytes it is given", () => {
  expect(tokensPerRun(large, 0.75e9)(128)).toBe(516);
});

it("never falls below what a run is worth starting for", () => {
  expect(tokensPerRun({ ...config, vocabularySize: 10_000_000 })(1)).toBe(64);
});
