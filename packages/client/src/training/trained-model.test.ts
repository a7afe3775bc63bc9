import { expect, it } from "vitest";
import { SequenceCounter } from "./trained-model.js";

it("counts, and gives out first what was given back, lowest first", () => {
  const counter = new SequenceCounter(1);
  expect([counter.take(), counter.take(), counter.take()]).toEqual([1, 2, 3]);
  counter.giveBack([3, 1]);
  expect([counter.take(), counter.take(), counter.take()]).toEqual([1, 3, 4]);
});
