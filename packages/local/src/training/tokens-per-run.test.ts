import { expect, it } from "vitest";
import { openGoldenModel } from "./testing/golden-files.js";
import { blockedRowBytes, tokensPerRun, trainingBytesPerToken } from "./tokens-per-run.js";

const { config } = openGoldenModel("tiny-llama");

/** The sizes of SmolLM2-135M. */
const large = {
  ...config,
  vocabularySize: 49_152,
  layerCount: 30,
  hiddenSize: 576,
  intermediateSize: 1536,
  headCount: 9,
  keyValueHeadCount: 3,
  headSize: 64,
};

it("is bound by speed for a small model", () => {
  expect(tokensPerRun(config)(64)).toBe(2048);
});

it("is bound by memory for a large one, and more so for long rows, whose attention grows with their length", () => {
  expect(tokensPerRun(large)(128)).toBe(672);
  expect(tokensPerRun(large)(512)).toBe(498);
  expect(tokensPerRun(large)(2048)).toBe(245);
});

it("takes no more than the bytes it is given", () => {
  expect(tokensPerRun(large, 0.75e9)(128)).toBe(504);
});

it("never falls below what a run is worth starting for", () => {
  expect(tokensPerRun({ ...config, vocabularySize: 10_000_000 })(1)).toBe(64);
});

/** Eight layers of Qwen3-0.6B's sizes, whose queries are twice as wide as the hidden state, and a small vocabulary. */
const wideHeads = {
  ...config,
  vocabularySize: 4096,
  layerCount: 8,
  hiddenSize: 1024,
  intermediateSize: 3072,
  headCount: 16,
  keyValueHeadCount: 8,
  headSize: 128,
};

it.each([
  { queryKeyNorm: true, takenMb: { atOnce: 626, byBlocks: 1408 } },
  { queryKeyNorm: false, takenMb: { atOnce: 509, byBlocks: 1191 } },
])(
  "says what heads take that are wider than the hidden state, normed $queryKeyNorm",
  ({ queryKeyNorm, takenMb }) => {
    const wide = { ...wideHeads, queryKeyNorm };
    const shareSaid = (bytes: number, measuredMb: number) => bytes / (measuredMb * 1e6);
    for (const share of [
      shareSaid(512 * trainingBytesPerToken(wide, 512), takenMb.atOnce),
      shareSaid(blockedRowBytes(wide, 4096), takenMb.byBlocks),
    ]) {
      expect(share).toBeGreaterThan(0.9);
      expect(share).toBeLessThan(1.1);
    }
  },
);
