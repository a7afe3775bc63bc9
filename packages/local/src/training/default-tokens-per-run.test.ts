import { expect, it } from "vitest";
import { defaultTokensPerRun } from "./default-tokens-per-run.js";
import { openGoldenModel } from "./testing/golden-files.js";

const { config } = openGoldenModel("tiny-llama");

it("is bound by speed for a small model", () => {
  expect(defaultTokensPerRun(config)).toBe(2048);
});

it("is bound by memory for a large one", () => {
  // The sizes of SmolLM2-135M.
  const large = {
    ...config,
    vocabularySize: 49_152,
    layerCount: 30,
    hiddenSize: 576,
    intermediateSize: 1536,
  };
  expect(defaultTokensPerRun(large)).toBe(492);
});

it("never falls below what a run is worth starting for", () => {
  expect(defaultTokensPerRun({ ...config, vocabularySize: 10_000_000 })).toBe(64);
});
