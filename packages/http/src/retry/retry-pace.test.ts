import { describe, expect, it } from "vitest";
import { RateGate } from "../limits/rate-gate.js";
import { RetryPace } from "./retry-pace.js";

describe("RetryPace", () => {
  it("lets fifty repeats start in one moment and spaces out the rest at twenty a second", () => {
    const pace = new RetryPace();
    const waits = Array.from({ length: 70 }, () => pace.reserve(1_000));
    expect(waits.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => 0));
    expect(waits[50]).toBe(50);
    expect(waits[69]).toBe(1_000);
    expect(pace.reserve(60_000)).toBe(0);
  });

  it("never holds up repeats of twenty a second, however long the pauses of others are", () => {
    const pace = new RetryPace();
    const waits = Array.from({ length: 1_200 }, (_, n) => pace.reserve(n * 50));
    expect(new Set(waits)).toEqual(new Set([0]));
  });
});

describe("RateGate", () => {
  it("holds back later calls of the same kind of traffic until the service's pause is over", () => {
    const gate = new RateGate();
    gate.close("train", 1_000, 7_000);
    gate.close("train", 2_000, 1_000);
    expect(gate.waitMs("train", 3_000)).toBe(5_000);
    expect(gate.waitMs("rest", 3_000)).toBe(0);
    expect(gate.waitMs("train", 8_000)).toBe(0);
  });
});
