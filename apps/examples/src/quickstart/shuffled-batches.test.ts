import { describe, expect, it } from "vitest";
import { shuffledBatches } from "./shuffled-batches.js";

const items = Array.from({ length: 10 }, (_, index) => index);

describe("shuffledBatches", () => {
  it("makes the batches asked for, of the size asked for", () => {
    const batches = shuffledBatches(items, { stepCount: 7, batchSize: 4, seed: 1 });
    expect(batches.map((batch) => batch.length)).toEqual(Array.from({ length: 7 }, () => 4));
  });

  it("uses every item once before it uses one twice", () => {
    const [first = [], second = []] = shuffledBatches(items, { stepCount: 2, batchSize: 5, seed: 3 });
    expect([...first, ...second].sort((left, right) => left - right)).toEqual(items);
  });

  it("gives the same order for the same seed and another for another", () => {
    const of = (seed: number) => shuffledBatches(items, { stepCount: 4, batchSize: 5, seed });
    expect(of(5)).toEqual(of(5));
    expect(of(5)).not.toEqual(of(6));
  });

  it("fills a batch larger than the data", () => {
    expect(shuffledBatches([1, 2], { stepCount: 1, batchSize: 5, seed: 1 })[0]).toHaveLength(5);
  });
});
