import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openGoldenModel } from "../training/testing/golden-files.js";
import {
  BLOCK_LENGTH,
  blockedRowBytes,
  DEFAULT_RUN_BYTES,
  trainingBytesPerToken,
} from "../training/tokens-per-run.js";
import { checkMemoryLimit, checkRoomForAll, planMemory } from "./memory-plan.js";

const { config: tiny } = openGoldenModel("tiny-llama");

/** The sizes of SmolLM2-135M. */
const large = {
  ...tiny,
  vocabularySize: 49_152,
  layerCount: 30,
  hiddenSize: 576,
  intermediateSize: 1536,
  headCount: 9,
  keyValueHeadCount: 3,
  headSize: 64,
  contextLength: 8192,
};
const model = { name: "acme/large" };
const alone = (totalMb: number) => ({ totalMb, modelCount: 1 });

describe("planMemory", () => {
  it("takes what is fastest without a limit, and rows as long as the context", () => {
    const { contextLength, runBytes } = planMemory(large, model, undefined);
    expect({ contextLength, runBytes }).toEqual({ contextLength: 8192, runBytes: DEFAULT_RUN_BYTES });
  });

  it("takes no more with a limit that is no bound", () => {
    expect(planMemory(large, model, alone(1e6))).toEqual(planMemory(large, model, undefined));
  });

  it("makes runs smaller and rows shorter with less memory, at every step", () => {
    const plans = [1800, 2200, 3000, 5000].map((limitMb) => planMemory(large, model, alone(limitMb)));
    for (const [index, plan] of plans.slice(1).entries()) {
      const before = plans[index];
      expect(plan.contextLength).toBeGreaterThan(before?.contextLength ?? Number.NaN);
      expect(plan.sampling.maxLogitBytes).toBeGreaterThanOrEqual(
        before?.sampling.maxLogitBytes ?? Number.NaN,
      );
      expect(plan.runBytes).toBeGreaterThanOrEqual(before?.runBytes ?? Number.NaN);
    }
    expect(plans.map(({ contextLength }) => contextLength)).toEqual([142, 1024, 3328, 8192]);
  });

  it("holds a row of the shortened context in one run, at once or by blocks", () => {
    for (const limitMb of [1800, 2200, 3000, 5000]) {
      const { contextLength, rowBytes } = planMemory(large, model, alone(limitMb));
      const atOnce = contextLength * trainingBytesPerToken(large, contextLength);
      expect(Math.min(atOnce, blockedRowBytes(large, contextLength))).toBeLessThanOrEqual(rowBytes);
      // Rows by blocks are filled up to a whole one.
      if (atOnce > rowBytes) expect(contextLength % BLOCK_LENGTH).toBe(0);
    }
  });

  it("counts weights in few bits as less", () => {
    const room = (weights: "float32" | "int8" | "int4") =>
      planMemory(large, { ...model, weights }, alone(1800)).contextLength;
    expect(room("int8")).toBeGreaterThan(room("float32"));
    expect(room("int4")).toBeGreaterThan(room("int8"));
  });

  it("says how much is needed where it is too little, and takes that much", () => {
    const leastOf = (limitMb: number): number => {
      try {
        planMemory(large, model, alone(limitMb));
      } catch (error) {
        expect(error).toBeInstanceOf(ValidationError);
        const { message, path } = error as ValidationError;
        expect(path).toEqual(["memoryLimitMb"]);
        expect(message).toContain("for acme/large, got 500; give it more, or serve a smaller model");
        return Number(/must be at least (\d+) for/.exec(message)?.[1]);
      }
      throw new Error("it was taken");
    };
    const least = leastOf(500);
    expect(planMemory(large, model, alone(least)).contextLength).toBeGreaterThanOrEqual(64);
    expect(() => planMemory(large, model, alone(least - 1))).toThrow(ValidationError);
  });
});

it("divides a limit among the models, the server's own part once", () => {
  // 256 MB are the server's own.
  expect(planMemory(large, model, { totalMb: 256 + 2 * 2000, modelCount: 2 })).toEqual(
    planMemory(large, model, alone(256 + 2000)),
  );
});

it("names the model that needs the most, wherever it stands", () => {
  const small = { config: tiny, model: { name: "acme/small" } };
  const other = { config: large, model };
  const limit = { totalMb: 300, modelCount: 2 };
  for (const models of [
    [small, other],
    [other, small],
  ]) {
    expect(() => checkRoomForAll(models, limit)).toThrow(
      /^memoryLimitMb must be at least \d+ for acme\/large to have one of 2 equal parts, got 300; /,
    );
  }
  expect(() => checkRoomForAll([small, other], { totalMb: 10_000, modelCount: 2 })).not.toThrow();
});

it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "2000", null, {}])("refuses the limit %s", (limit) => {
  expect(() => checkMemoryLimit(limit)).toThrow(/memoryLimitMb must be a positive number of megabytes, got /);
});
