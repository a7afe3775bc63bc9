import { expect, it } from "vitest";
import { batchesOf } from "./batches.js";
import { shuffledOrder } from "./shuffle.js";

const examples = Array.from({ length: 11 }, (_, index) => index);

it("cookbook 15: the same seed gives the same batches, whichever step is asked for first; another seed gives others", () => {
  const steps = Array.from({ length: 9 }, (_, step) => step);
  const first = batchesOf(examples, 3, 5, "sft: train", "batchSize");
  const forwards = steps.map((step) => first.batchAt(step));
  const second = batchesOf(examples, 3, 5, "sft: train", "batchSize");
  expect(steps.toReversed().map((step) => second.batchAt(step)).toReversed()).toEqual(forwards);
  expect(steps.map((step) => batchesOf(examples, 3, 6, "sft: train", "batchSize").batchAt(step))).not.toEqual(forwards);
});

it("cookbook 15: epochs differ, hold each example once, and drop the incomplete last batch", () => {
  const { stepsPerEpoch, batchAt, epochAt } = batchesOf(examples, 3, 0, "sft: train", "batchSize");
  expect(stepsPerEpoch).toBe(3);
  const epochs = [0, 1].map((epoch) => [0, 1, 2].flatMap((step) => batchAt(3 * epoch + step)));
  for (const epoch of epochs) expect(new Set(epoch).size).toBe(9);
  expect(epochs[0]).not.toEqual(epochs[1]);
  expect([0, 2, 3, 8].map(epochAt)).toEqual([0, 0, 1, 2]);
});

it("refuses fewer examples than a batch has, with the remedy", () => {
  expect(() => batchesOf([1, 2], 3, 0, "sft: train", "batchSize")).toThrow(
    "sft: train must have at least 3, enough for one step, got 2; lower batchSize",
  );
  expect(() => batchesOf([1, 2], 3, 0, "sft: train", "batchSize", 1)).toThrow(
    "sft: train must have at least 3, enough for one step, got 2 besides 1 left out; lower batchSize",
  );
  expect(() => batchesOf([], 3, 0, "sft: train", "batchSize", 1, "no answer")).toThrow(
    "sft: train must have at least 3, enough for one step, got 0 besides 1 left out (no answer); give some to learn from",
  );
});

it("puts every number at every place about as often as at any other", () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 3_000; seed += 1) {
    for (const [place, value] of shuffledOrder(3, seed, seed % 5).entries()) {
      counts.set(`${place}${value}`, (counts.get(`${place}${value}`) ?? 0) + 1);
    }
  }
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120);
  expect(counts.size).toBe(9);
});
