import type { FailedTry } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { MAX_EARLIER_TRIES, noteEarlierTry } from "./earlier-tries.js";

/** The numbers that are left of tries 0, 1, …, of which `arrived` may have. */
function kept(count: number, ...arrived: number[]): string[] {
  const tries: FailedTry[] = [];
  for (let i = 0; i < count; i += 1) {
    noteEarlierTry(tries, { what: String(i), pauseMs: 0, mayHaveArrived: arrived.includes(i) });
  }
  return tries.map(({ what }) => what);
}

describe("noteEarlierTry", () => {
  it("keeps the latest ten", () => {
    expect(kept(MAX_EARLIER_TRIES)).toHaveLength(MAX_EARLIER_TRIES);
    expect(kept(13)).toEqual(["3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]);
  });

  it("keeps the first that may have arrived, however long ago it was", () => {
    expect(kept(30, 1, 2)).toEqual(["1", "21", "22", "23", "24", "25", "26", "27", "28", "29"]);
    expect(kept(14, 11)).toEqual(["4", "5", "6", "7", "8", "9", "10", "11", "12", "13"]);
  });
});
