import { describe, expect, it } from "vitest";
import { SequenceCounter, type SequenceId } from "./trained-model.js";

const taken = (counter: SequenceCounter, count: number): SequenceId[] =>
  Array.from({ length: count }, () => counter.take());
const values = (ids: readonly SequenceId[]): number[] => ids.map(({ value }) => value);

describe("SequenceCounter", () => {
  it("counts, and gives out first what was given back, lowest first", () => {
    const counter = new SequenceCounter(1);
    const [first, second, third] = taken(counter, 3) as [SequenceId, SequenceId, SequenceId];
    expect(values([first, second, third])).toEqual([1, 2, 3]);
    counter.giveBack([third, first]);
    expect(values(taken(counter, 3))).toEqual([1, 3, 4]);
  });

  it("gives no id out twice that comes back after the ids went back", () => {
    const counter = new SequenceCounter(5);
    const [, refused, late] = taken(counter, 3) as [SequenceId, SequenceId, SequenceId];
    counter.goOnFrom(5, refused);
    counter.giveBack([late]);
    const [again] = taken(counter, 1) as [SequenceId];
    counter.giveBack([refused, again]);
    expect(values(taken(counter, 4))).toEqual([5, 6, 7, 8]);
  });
});
