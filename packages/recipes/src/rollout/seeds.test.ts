import { expect, it } from "vitest";
import { seedBehind, seedOf } from "./seeds.js";

it.each([0, 1, Date.UTC(2026, 10, 29), Number.MAX_SAFE_INTEGER])(
  "groups and steps of a run of seed %i have seeds of their own, whole and below 2³¹",
  (seed) => {
    const places = Array.from({ length: 40 }, (_, step) => step).flatMap((step) =>
      Array.from({ length: 16 }, (_, group) => seedOf(seed, step, group)),
    );
    expect(new Set(places).size).toBe(places.length);
    expect(places.every((place) => Number.isInteger(place) && place >= 0 && place < 2 ** 31)).toBe(true);
  },
);

it("a seed behind the last one begins anew", () => {
  expect(seedBehind(2 ** 31 - 1, 7919)).toBe(7918);
  expect(seedBehind(5, 2)).toBe(7);
});
