import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Figures, firstAndLast } from "./figures.js";

const exitCodeBefore = process.exitCode;
const said = { log: vi.spyOn(console, "log"), error: vi.spyOn(console, "error") };

beforeEach(() => {
  for (const spy of Object.values(said)) spy.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  process.exitCode = exitCodeBefore;
});

const lines = (name: keyof typeof said) => said[name].mock.calls.map(([line]) => line);

describe("the figures of an example", () => {
  it("that are reached are printed with their bounds, and change no exit code", () => {
    const figures = new Figures({ isLocal: true, isWhole: true });
    figures.atLeast("exact match", 0.95, 0.95);
    figures.below("loss", 1e-5, 0.2);
    figures.agreement(-2.3e-8, "base");
    expect(lines("log")).toEqual([
      "exact match: 0.9500 (at least 0.95)",
      "loss: 1.0e-5 (below 0.2)",
      "base: sampler against trainer before the first update: 2.3e-8 (below 0.0001)",
    ]);
    expect(lines("error")).toEqual([]);
    expect(process.exitCode).toBe(exitCodeBefore);
  });

  it.each([
    ["a number too small", (figures: Figures) => figures.atLeast("gain", 0.2, 0.25)],
    ["a number too large", (figures: Figures) => figures.below("loss", 0.2, 0.2)],
    ["no number", (figures: Figures) => figures.below("loss", Number.NaN, 0.2)],
    ["a sampler that is not the trainer", (figures: Figures) => figures.agreement(-2e-4)],
    ["a sampler that was not compared", (figures: Figures) => figures.agreement(undefined)],
  ])("end the program with exit code 1 for %s", (_, tell) => {
    tell(new Figures({ isLocal: true, isWhole: true }));
    expect(process.exitCode).toBe(1);
    expect(lines("error")).toEqual([
      expect.stringMatching(/^missed: \S.* must be (?:at least|below) [0-9.]+, got/),
    ]);
  });

  it("promise nothing of too few steps, but that sampler and trainer agree", () => {
    const figures = new Figures({ isLocal: true, isWhole: false });
    figures.atLeast("gain", 0.2, 0.25);
    figures.below("loss", 0.7, 0.2);
    expect(process.exitCode).toBe(exitCodeBefore);
    figures.agreement(0.1);
    expect(process.exitCode).toBe(1);
  });

  it("promise nothing of a service's own models", () => {
    const figures = new Figures({ isLocal: false, isWhole: true });
    figures.atLeast("gain", 0.2, 0.25);
    figures.agreement(0.1);
    expect(lines("error")).toEqual([]);
    expect(process.exitCode).toBe(exitCodeBefore);
  });
});

describe("firstAndLast", () => {
  it("takes the means of five numbers at either end, of fewer where there are fewer", () => {
    expect(firstAndLast([1, 2, 3, 4, 5, 6, 7])).toEqual([3, 5]);
    expect(firstAndLast([1, 3])).toEqual([2, 2]);
    expect(firstAndLast([])).toEqual([Number.NaN, Number.NaN]);
  });
});
