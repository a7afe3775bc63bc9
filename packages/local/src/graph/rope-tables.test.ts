import { describe, expect, it } from "vitest";
import { openGoldenModel, readGolden } from "../training/testing/golden-files.js";
import { inverseFrequencies, ropeTables } from "./rope-tables.js";

describe("inverseFrequencies", () => {
  it.each(["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3"])(
    "equal the recorded ones of %s",
    (name) => {
      const { inverse_frequencies: expected } = readGolden<{ inverse_frequencies: number[] }>(
        `forward/${name}.json`,
      );
      const found = inverseFrequencies(openGoldenModel(name).config);
      expect(found.length).toBe(expected.length);
      found.forEach((frequency, index) => {
        expect(frequency / (expected[index] ?? 0)).toBeCloseTo(1, 6);
      });
    },
  );
});

describe("ropeTables", () => {
  it("hold cosines and sines of every position", () => {
    const { cosines, sines } = ropeTables({ headSize: 4, ropeTheta: 100, contextLength: 3 });
    expect(cosines).toEqual(Float32Array.of(1, 1, Math.cos(1), Math.cos(0.1), Math.cos(2), Math.cos(0.2)));
    expect(sines).toEqual(Float32Array.of(0, 0, Math.sin(1), Math.sin(0.1), Math.sin(2), Math.sin(0.2)));
  });
});
