import { readFileSync } from "node:fs";
import { lossInputDtypes, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { TensorData } from "./tensor-data.js";
import type { NestedList, TensorLike } from "./tensor-like.js";

/** A value of the recordings: numbers, with `"NaN"`, `"-0"` … and `{ int }` for what JSON cannot hold. */
type Recorded = number | boolean | null | string | { int: string } | Recorded[];

interface GoldenCase {
  readonly group: string;
  readonly name: string;
  readonly input: {
    readonly lib?: string;
    readonly dtype?: string;
    readonly key?: string;
    readonly values?: Recorded;
    readonly value?: Recorded;
    readonly data?: Recorded;
    readonly shape?: number[] | null;
    readonly sparse_crow_indices?: number[];
    readonly sparse_col_indices?: number[];
  };
  readonly tensor?: {
    readonly data: Recorded[];
    readonly dtype: string;
    readonly shape: number[] | null;
    readonly sparse_crow_indices?: number[];
  };
  readonly error?: string;
}

const cases: GoldenCase[] = JSON.parse(
  readFileSync(new URL("../fixtures/tensordata.json", import.meta.url), "utf8"),
);

function revive(value: Recorded): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value === "object" && value !== null) return "int" in value ? BigInt(value.int) : value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity" || value === "-0")
    return Number(value);
  return value;
}

const ARRAYS: Readonly<Record<string, (values: unknown[]) => ArrayBufferView>> = {
  float32: (values) => Float32Array.from(values as number[]),
  float64: (values) => Float64Array.from(values as number[]),
  int8: (values) => Int8Array.from(values as number[]),
  int16: (values) => Int16Array.from(values as number[]),
  int32: (values) => Int32Array.from(values as number[]),
  int64: (values) => BigInt64Array.from(values as number[], BigInt),
  uint8: (values) => Uint8Array.from(values as number[]),
  uint16: (values) => Uint16Array.from(values as number[]),
  uint32: (values) => Uint32Array.from(values as number[]),
  uint64: (values) => BigUint64Array.from(values as number[], BigInt),
};

function shapeOf(value: unknown): number[] {
  return Array.isArray(value) ? [value.length, ...shapeOf(value[0])] : [];
}

/** The value and options that stand for a recorded input, or the reason why JavaScript has nothing like it. */
function toCall({ group, input }: GoldenCase): { value: TensorLike; options: object } | { skip: string } {
  if (group === "array" || (group === "datum 2-D" && input.lib !== "list")) {
    const make = ARRAYS[input.dtype ?? ""];
    if (make === undefined) return { skip: `JavaScript has no ${input.dtype} array` };
    if (group === "datum 2-D" && input.lib === "torch")
      return { skip: "torch tensors may turn sparse, arrays never do" };
    const values = revive(input.values ?? []);
    const flat = Array.isArray(values) ? values.flat(Infinity) : [values];
    const shape = input.shape ?? shapeOf(values);
    return { value: make(flat) as TensorLike & ArrayBufferView, options: { shape, key: input.key } };
  }
  if (group === "sparse") return { skip: "made from a torch tensor" };
  if (group === "construct") {
    const { data = [], ...rest } = input;
    const record = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
    return { value: { ...record, data: revive(data) } as unknown as TensorLike, options: {} };
  }
  const value = revive(input.value ?? input.values ?? null) as NestedList;
  return { value, options: { key: input.key } };
}

/** Where Tinkex rules otherwise than the recorded SDK: refuses, or accepts with the data that follow. */
const RULED_OTHERWISE: readonly {
  readonly names: RegExp;
  readonly outcome: "refused" | readonly number[];
  readonly why: string;
}[] = [
  { names: /numpy uint\d+$/, outcome: [0, 1, 200], why: "every integer type becomes int64" },
  { names: /torch uint8$/, outcome: [0, 1, 100], why: "every integer type becomes int64" },
  { names: /torch requires grad$/, outcome: [1, 2], why: "arrays have no gradients" },
  { names: /"extra": 1\}$/, outcome: [1], why: "unknown fields of a record are dropped" },
  { names: /<- dict /, outcome: [1], why: "a record is a plain object here" },
  { names: /<- tuple /, outcome: [1, 2], why: "lists are the only sequence" },
  { names: /beyond float32$|1e\+300/, outcome: "refused", why: "a finite value must not become infinite" },
  {
    names:
      /(target_tokens <- list|"data":) \[(1, 2\.5|1\.0, 2\.5|0\.1|1\.5|1\.5, 2\.9, -1\.5)\](, "dtype": "int64"\})?$/,
    outcome: "refused",
    why: "fractions under an integer dtype must not be cut",
  },
  {
    names: /target_tokens <- list \[("NaN"|"Infinity"|1e\+19|\{"int": "9223372036854775808"\})\]$/,
    outcome: "refused",
    why: "values outside int64 must not wrap around",
  },
  { names: /null, 1\.0\]|\[1, null\]/, outcome: "refused", why: "null is no number" },
  { names: /\["1"\]/, outcome: "refused", why: "strings are no numbers" },
  { names: /"shape": \[-1, 2\]\}$/, outcome: "refused", why: "-1 is no length" },
  { names: /\{"data": \[\[1, 2\], \[3, 4\]\]/, outcome: "refused", why: "the data of a record are flat" },
  {
    names: /"sparse_crow_indices": (\[0, 1, 1\]\}|\[0, 1\], |\[0, 1\]\})/,
    outcome: "refused",
    why: "a reader could not unfold this sparse tensor",
  },
];

const titleOf = (golden: GoldenCase): string => `${golden.group}: ${golden.name}`;
const runnable = cases.flatMap((golden) => {
  const call = toCall(golden);
  return "skip" in call
    ? []
    : [{ golden, call, ruling: RULED_OTHERWISE.find(({ names }) => names.test(titleOf(golden))) }];
});

describe("TensorData.from beside what the official SDK makes of the same input", () => {
  for (const { golden, call, ruling } of runnable) {
    const expected = ruling === undefined ? golden.tensor?.data.map(revive) : ruling.outcome;
    it(`${titleOf(golden)}${ruling === undefined ? "" : ` (${ruling.why})`}`, () => {
      if (expected === undefined || expected === "refused") {
        expect(() => TensorData.from(call.value, call.options)).toThrow(ValidationError);
        return;
      }
      const tensor = TensorData.from(call.value, call.options);
      const exact = tensor.dtype === "int64" ? BigInt : Number;
      expect(Array.from(tensor.data as ArrayLike<number | bigint>, (value) => exact(value))).toEqual(
        expected.map((value) => exact(value as number)),
      );
      if (ruling !== undefined) return;
      expect(tensor.dtype).toBe(golden.tensor?.dtype);
      expect(tensor.shape ?? null).toEqual(golden.tensor?.shape);
      expect(tensor.sparse_crow_indices).toEqual(golden.tensor?.sparse_crow_indices);
    });
  }

  it("deviates only where a ruling says so, and every ruling has a case", () => {
    for (const { names } of RULED_OTHERWISE) {
      expect(
        runnable.some(({ golden }) => names.test(titleOf(golden))),
        String(names),
      ).toBe(true);
    }
    expect(runnable.length).toBeGreaterThan(190);
  });
});

describe("wire-types 18: a plain list under a key", () => {
  /** The dtype that the official SDK gave `[1, 0, 2]` under each key, "error" where it refused the key. */
  const recorded = cases
    .filter(
      ({ group, input }) => group === "datum key" && Array.isArray(input.value) && input.value.length > 0,
    )
    .map(({ input, tensor }) => [input.key ?? "", tensor?.dtype ?? "error"] as const);

  it("has a dtype for the keys that the official SDK knows, and for no others", () => {
    const known = recorded.filter(([, dtype]) => dtype !== "error");
    expect(Object.keys(lossInputDtypes).sort()).toEqual(known.map(([key]) => key).sort());
    expect(recorded.length).toBeGreaterThan(known.length);
  });

  it.each(recorded)("%s becomes %s", (key, dtype) => {
    if (dtype === "error") {
      expect(() => TensorData.from([1, 2, 3], { key })).toThrow(`loss_fn_inputs.${key}: `);
      const record = { data: Float32Array.of(1, 2, 3), dtype: "float32", shape: [3] } as const;
      expect(TensorData.from(record, { key })).toEqual(record);
    } else {
      expect(TensorData.from([1, 2, 3], { key })).toMatchObject({ dtype, shape: [3] });
    }
  });
});
