import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawToken, drawTokens, type TokenDistribution, tokenDistribution } from "./token-distribution.js";

interface GoldenSetting {
  readonly temperature: number;
  readonly top_k: number;
  readonly top_p: number;
  /** Best first. */
  readonly kept: readonly number[];
  readonly probabilities: readonly number[];
}

interface GoldenCase {
  readonly name: string;
  readonly logits: readonly (number | "-Infinity")[];
  readonly settings: readonly GoldenSetting[];
}

interface GoldenTie extends GoldenSetting {
  readonly logits: readonly number[];
  readonly note: string;
}

const golden: { readonly cases: readonly GoldenCase[]; readonly ties: readonly GoldenTie[] } = JSON.parse(
  readFileSync(new URL("../../fixtures/numerics/sampling/filters.json", import.meta.url), "utf8"),
);

const off = { temperature: 1, topK: -1, topP: 1 };

/** The ids that may be drawn. */
const idsOf = ({ ids, weights }: TokenDistribution) => Array.from(ids ?? Array.from(weights).keys());

/** Probabilities by id, 0 for what was left out. */
function byId(distribution: TokenDistribution, size: number): number[] {
  const { weights, total } = distribution;
  const dense = new Array<number>(size).fill(0);
  idsOf(distribution).forEach((id, i) => {
    dense[id] = (weights[i] ?? Number.NaN) / total;
  });
  return dense;
}

describe.each(golden.cases)("golden filters: $name", ({ logits: plain, settings }) => {
  const logits = Float64Array.from(plain, Number);

  it.each(settings)("temperature $temperature, top_k $top_k, top_p $top_p", (setting) => {
    const filter = { temperature: setting.temperature, topK: setting.top_k, topP: setting.top_p };
    const distribution = tokenDistribution(logits, filter);
    // What is kept at probability 0 can never be drawn, so only the rest has to agree.
    const drawable = idsOf(distribution).filter((_, i) => (distribution.weights[i] ?? 0) > 0);
    const expected = setting.kept.filter((id) => (setting.probabilities[id] ?? 0) > 0);
    expect([...drawable].sort()).toEqual([...expected].sort());
    byId(distribution, logits.length).forEach((probability, id) => {
      const want = setting.probabilities[id] ?? Number.NaN;
      expect(Math.abs(probability - want)).toBeLessThanOrEqual(1e-12 * want + Number.MIN_VALUE);
    });
  });
});

describe("golden ties", () => {
  it.each(golden.ties)("$note", ({ logits, temperature, top_k, top_p, kept, probabilities }) => {
    const filter = { temperature, topK: top_k, topP: top_p };
    const distribution = tokenDistribution(Float64Array.from(logits), filter);
    expect(idsOf(distribution)).toEqual(kept);
    expect(byId(distribution, logits.length)).toEqual(probabilities);
  });
});

describe("tokenDistribution", () => {
  it("ranks kept tokens best first, lower ids first among equals", () => {
    const logits = new Float32Array([1, 3, 3, 2, 3]);
    expect(tokenDistribution(logits, { ...off, topK: 2 }).ids).toEqual([1, 2]);
    expect(tokenDistribution(logits, { ...off, topK: 4 }).ids).toEqual([1, 2, 4, 3]);
    expect(tokenDistribution(logits, { ...off, topP: 0.5 }).ids).toEqual([1, 2]);
  });

  it("loss-functions 13: is greedy at temperature 0, whatever the filters", () => {
    const logits = new Float32Array([1, 3, 3, 2]);
    expect(tokenDistribution(logits, { temperature: 0, topK: 3, topP: 0.1 })).toEqual({
      ids: [1],
      weights: [1],
      total: 1,
    });
  });

  it("keeps the nucleus that a full sort would keep", () => {
    const values = fc.array(fc.float({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 60 });
    const topP = fc.double({ min: 0.01, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(values, topP, (plain, limit) => {
        const logits = Float32Array.from(plain);
        const everything = tokenDistribution(logits, off);
        const ranked = Array.from(everything.weights)
          .map((weight, id) => ({ weight, id }))
          .sort((x, y) => y.weight - x.weight || x.id - y.id);
        const kept: number[] = [];
        let mass = 0;
        for (const { weight, id } of ranked) {
          if (kept.length > 0 && mass >= limit * everything.total) break;
          kept.push(id);
          mass += weight;
        }
        expect(tokenDistribution(logits, { ...off, topP: limit }).ids).toEqual(kept);
      }),
    );
  });
});

describe("drawToken", () => {
  const distribution = { ids: [7, 3, 5], weights: [2, 1, 1], total: 4 };

  it.each([
    [0, 7],
    [0.4999, 7],
    [0.5, 3],
    [0.7499, 3],
    [0.75, 5],
    [0.9999999999999999, 5],
  ])("%f draws %i", (uniform, token) => {
    expect(drawToken(distribution, uniform)).toBe(token);
  });

  it("never draws a token of weight 0, even when the sum rounds below the total", () => {
    expect(drawToken({ ids: [0, 1, 2], weights: [0, 0.9, 0], total: 1 }, 0.99)).toBe(1);
    expect(drawToken({ weights: [0, 1], total: 1 }, 0)).toBe(1);
  });
});

describe("drawTokens", () => {
  it("draws what drawToken draws for each number, whatever their order", () => {
    // Sums and products of these are exact, in whatever order.
    const weight = fc.nat({ max: 8 }).map((eighths) => eighths / 8);
    const uniform = fc.nat({ max: 1023 }).map((parts) => parts / 1024);
    fc.assert(
      fc.property(
        fc.array(weight, { minLength: 1 }),
        fc.array(uniform),
        fc.boolean(),
        (some, uniforms, isRanked) => {
          const weights = [...some, 0.5];
          const total = weights.reduce((sum, one) => sum + one, 0);
          const ids = isRanked ? { ids: weights.map((_, index) => 100 - index) } : {};
          const distribution = { ...ids, weights, total };
          expect(drawTokens(distribution, uniforms)).toEqual(
            uniforms.map((number) => drawToken(distribution, number)),
          );
        },
      ),
    );
  });

  it("never draws a token of weight 0, even when the sum rounds below the total", () => {
    expect(drawTokens({ ids: [0, 1, 2], weights: [0, 0.9, 0], total: 1 }, [0.99, 0])).toEqual([1, 1]);
    expect(drawTokens({ weights: [0, 1], total: 1 }, [])).toEqual([]);
  });

  it("reads the weights once for any number of draws", () => {
    let reads = 0;
    const weights = new Proxy(new Float64Array(1000).fill(1), {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key, target);
      },
    });
    const uniforms = Array.from({ length: 1000 }, (_, draw) => ((draw * 7919) % 1000) / 1000);
    expect(new Set(drawTokens({ weights, total: 1000 }, uniforms)).size).toBe(1000);
    // With the length, which is asked for again for each weight and each draw.
    expect(reads).toBeLessThan(5000);
  });
});
