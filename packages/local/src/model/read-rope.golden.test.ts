import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { inverseFrequencies } from "../graph/rope-tables.js";
import { readModelConfig } from "./read-model-config.js";

interface RopeCase {
  readonly model_type: string;
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly result: { readonly error: string } | { readonly inverse_frequencies: readonly number[] };
}

/** Frequencies that `transformers` 5.24 computes; `fixtures/rope/record.py` wrote them. */
const { cases, sizes } = JSON.parse(
  readFileSync(new URL("../../fixtures/rope/frequencies.json", import.meta.url), "utf8"),
) as { readonly cases: readonly RopeCase[]; readonly sizes: object };

/** Cases that `transformers` runs and this engine does not, with a word that its refusal must hold. */
const REFUSED_HERE: Readonly<Record<string, string>> = {
  "yarn in rope_scaling": '"yarn"',
  "yarn in rope_scaling, plain rope_parameters": '"yarn"',
  "yarn in rope_parameters": '"yarn"',
  "yarn by the older name": '"yarn"',
  linear: '"linear"',
  dynamic: '"dynamic"',
  "llama3 whose factors are equal": "high_freq_factor must be above",
  "llama3 of half a head": "partial_rotary_factor must be 1",
  "llama3 of half a head, said at the top": "partial_rotary_factor must be 1",
  "by kind of layer": "full_attention",
};

const directory = temporaryDirectory();

function read({ model_type, fields }: RopeCase) {
  writeFileSync(join(directory, "config.json"), JSON.stringify({ ...sizes, model_type, ...fields }));
  return readModelConfig(directory);
}

const isRun = ({ name, result }: RopeCase) => !("error" in result) && !(name in REFUSED_HERE);
const titled = (list: readonly RopeCase[]) =>
  list.map((rope) => [`${rope.model_type}: ${rope.name}`, rope] as const);

describe("rotary settings of a config.json", () => {
  it.each(titled(cases.filter(isRun)))("give the frequencies of transformers for %s", (_, rope) => {
    const expected = "error" in rope.result ? [] : rope.result.inverse_frequencies;
    const found = inverseFrequencies(read(rope));
    expect(found).toHaveLength(expected.length);
    found.forEach((frequency, index) => {
      expect(frequency / (expected[index] ?? 0)).toBeCloseTo(1, 5);
    });
  });

  it.each(titled(cases.filter((rope) => !isRun(rope))))("are refused by name for %s", (_, rope) => {
    expect(() => read(rope)).toThrow(ValidationError);
    expect(() => read(rope)).toThrow(REFUSED_HERE[rope.name] ?? "config.json");
  });
});
