import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { reduceMetrics } from "./combine-outputs.js";

/** A recorded number: `"NaN"` … and `{ int }` for what JSON cannot hold. */
type Recorded = number | string | { readonly int: string };

interface Outcome {
  readonly metrics?: Readonly<Record<string, Recorded>>;
  readonly error?: string;
}

interface GoldenCase {
  readonly name: string;
  readonly chunks: readonly {
    readonly datums: number;
    readonly metrics: Readonly<Record<string, Recorded>>;
  }[];
  readonly results: { readonly both?: Outcome; readonly "0.25.0"?: Outcome; readonly "0.38.0"?: Outcome };
}

const golden: readonly GoldenCase[] = JSON.parse(
  readFileSync(new URL("../../../fixtures/metric-reduction.json", import.meta.url), "utf8"),
);

const numberOf = (value: Recorded): number => Number(typeof value === "object" ? BigInt(value.int) : value);
const numbersOf = (metrics: Readonly<Record<string, Recorded>>): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, numberOf(value)]));
const reduce = (...chunks: [datumCount: number, metrics: Record<string, number>][]) =>
  reduceMetrics(chunks.map(([datumCount, metrics]) => ({ datumCount, metrics })));

describe("reduceMetrics beside the official SDKs", () => {
  it("knows all recorded cases", () => expect(golden.length).toBe(239));

  for (const { name, chunks, results } of golden) {
    // Each version lacks one of the two hashes; the other version says what it is.
    const outcomes = results.both ? [results.both] : [results["0.25.0"], results["0.38.0"]];
    const failed = outcomes.some((outcome) => outcome?.error !== undefined);
    it(`${name}${failed ? " (fails there, never here)" : ""}`, () => {
      const reduced = reduceMetrics(
        chunks.map(({ datums, metrics }) => ({ datumCount: datums, metrics: numbersOf(metrics) })),
      );
      if (failed) return;
      const expected = Object.assign({}, ...outcomes.map((outcome) => outcome?.metrics ?? {}));
      expect(Object.keys(reduced.metrics).sort()).toEqual(Object.keys(expected).sort());
      for (const [key, value] of Object.entries<Recorded>(expected)) {
        const actual = reduced.metrics[key] ?? Number.NaN;
        const wanted = numberOf(value);
        if (!Number.isFinite(wanted)) expect(actual).toBe(wanted);
        else expect(Math.abs(actual - wanted)).toBeLessThanOrEqual(1e-12 * Math.abs(wanted));
        if (typeof value === "object") expect(reduced.exactMetrics[key]).toBe(BigInt(value.int));
      }
    });
  }
});

describe("reduceMetrics", () => {
  it("clients 32: weighs a mean by datums", () => {
    expect(reduce([3, { "a:mean": 1 }], [1, { "a:mean": 5 }]).metrics).toEqual({ "a:mean": 2 });
    expect(reduce([1024, { "a:mean": 1 }], [1, { "a:mean": 2 }]).metrics).toEqual({
      "a:mean": 1.0009756097560976,
    });
  });

  it("clients 36, 37: numbers the values of `unique` and drops a key that pretends to be one", () => {
    expect(reduce([1, { "f:unique": 7 }], [1, { "f:unique": 8 }], [1, { "f:unique": 7 }]).metrics).toEqual({
      "f:unique": 7,
      "f:unique_1": 8,
      "f:unique_2": 7,
    });
    expect(
      reduce([1, { "u:unique": 1, "u:unique_1": 5 }], [1, { "u:unique": 2, "u:unique_1": 6 }]).metrics,
    ).toEqual({ "u:unique": 1, "u:unique_1": 2 });
  });

  it.each<[number[], bigint]>([
    [[5, 3], 7586885779985432798n],
    [[3.9], -5029647727744300836n],
    [[1], -6644214454873602895n],
    [[0], -8753497827991233192n],
    [[-1], 8078679518589016365n],
    [[2 ** 61], -6644214454873602895n],
    [[1, 2, 3], 529344067295497451n],
    [[1e18, 5], -5201162449864367257n],
  ])("clients 38: hashes %j without regard to order", (values, hash) => {
    const { exactMetrics } = reduce(
      ...values.map((value): [number, Record<string, number>] => [1, { "h:hash_unordered": value }]),
    );
    expect(exactMetrics["h:hash_unordered"]).toBe(hash);
  });

  it.each<[number[], bigint]>([
    [[5, 3], 8n],
    [[3.9], 3n],
    [[-1], 18446744073709551615n],
    [[2 ** 63, 2 ** 63], 0n],
    [[1, 2 ** 53, -1, 1e300], 9007199254740992n],
    [[3.9, -3.9], 0n],
  ])("newest-clients 31, newest-wire 27: adds the hashes %j modulo 2^64", (values, hash) => {
    const { exactMetrics } = reduce(
      ...values.map((value): [number, Record<string, number>] => [1, { "h:hash2": value }]),
    );
    expect(exactMetrics["h:hash2"]).toBe(hash);
  });

  it("gives NaN, and no exact value, for the hash of a number that is not finite", () => {
    expect(reduce([1, { "h:hash2": Number.NaN }])).toEqual({
      metrics: { "h:hash2": Number.NaN },
      exactMetrics: {},
    });
  });

  it("clients 39: drops a key that one chunk lacks, and unknown reductions", () => {
    expect(
      reduce(
        [1, { "a:sum": 1, "c:nope": 1, "d:": 1, ":mean": 4 }],
        [1, { "b:sum": 1, "c:nope": 1, ":mean": 4 }],
      ).metrics,
    ).toEqual({
      ":mean": 4,
    });
  });

  it("clients 40 and BR-047: keeps a key without exactly one colon when all chunks agree, and never fails", () => {
    expect(reduce([1, { loss: 3, "a:b:mean": 1, "policy/foo:mean": 2, "loss:sum": 1 }]).metrics).toEqual({
      loss: 3,
      "a:b:mean": 1,
      "policy/foo:mean": 2,
      "loss:sum": 1,
    });
    expect(reduce([1, { loss: 3 }], [1, { loss: 4 }]).metrics).toEqual({});
  });

  it("clients 41: falls back to the plain mean when no chunk has datums", () => {
    expect(reduce([0, { "a:mean": 1, "a:sum": 1 }], [0, { "a:mean": 2, "a:sum": 2 }]).metrics).toEqual({
      "a:mean": 1.5,
      "a:sum": 3,
    });
  });
});

describe("reduceMetrics of very many chunks", () => {
  const chunks = Array.from({ length: 150_000 }, (_, index) => ({
    datumCount: 1,
    metrics: { "a:min": index - 7, "a:max": index, "a:slack": index, "a:sum": 1 },
  }));

  it("reduces more of them than a call may have arguments", () => {
    expect(reduceMetrics(chunks).metrics).toEqual({
      "a:min": -7,
      "a:max": 149_999,
      "a:slack": 149_999 - 149_999 / 2,
      "a:sum": 150_000,
    });
  });

  it("gives NaN for the least and the largest where one of them is NaN", () => {
    const { metrics } = reduce(
      [1, { "a:min": 1, "a:max": 1 }],
      [1, { "a:min": Number.NaN, "a:max": Number.NaN }],
    );
    expect(metrics).toEqual({ "a:min": Number.NaN, "a:max": Number.NaN });
  });
});
