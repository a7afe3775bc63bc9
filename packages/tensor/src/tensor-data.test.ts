import { ValidationError } from "@tinkex/base";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { TensorData } from "./tensor-data.js";
import type { TensorLike } from "./tensor-like.js";
import { toNumbers } from "./to-numbers.js";
import { toTypedArray } from "./to-typed-array.js";

/** What a user of plain JavaScript may pass although the types forbid it. */
const untyped = (value: unknown): TensorLike => value as TensorLike;

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("memory that another thread has", () => {
  const KINDS = [
    Float32Array,
    Float64Array,
    Int8Array,
    Int32Array,
    Uint8Array,
    Uint16Array,
    BigInt64Array,
    BigUint64Array,
  ];

  // denosaurs/gmath#2: a raw TypeError, far from the array whose memory went to another thread.
  it.each(KINDS)("is refused by its place: %o", async (Kind) => {
    const array = new Kind(3);
    structuredClone(array.buffer, { transfer: [array.buffer] });
    const place = { key: "clip_scale", datumIndex: 2 };
    const message = /^data\[2\]\.loss_fn_inputs\.clip_scale: .*memory was transferred to another thread/;
    expect(messageOf(() => TensorData.from(array, place))).toMatch(message);
    const record = untyped({ data: array, dtype: "float32" });
    expect(messageOf(() => TensorData.from(record, place))).toMatch(message);
    await expect(TensorData.fromAsync(array, place)).rejects.toThrow(message);
    expect(TensorData.from(new Kind(0)).shape).toEqual([0]);
  });

  it("is refused in a record from elsewhere", () => {
    const data = Float32Array.of(1, 2);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    for (const convert of [toNumbers, toTypedArray])
      expect(messageOf(() => convert({ data, dtype: "float32" }))).toMatch("memory was transferred");
  });
});

// tenstorrent/tt-mlir#6056, triton-lang/triton#11584: bits of bfloat16 taken for the whole numbers they are stored as.
describe("TensorData.fromBFloat16", () => {
  const bits = Uint16Array.of(0x3f80, 0xbf00, 0x7f80, 0xff80, 0x0000, 0x8000, 0x7fc1, 0x0001);

  it("widens the bits to the numbers they are", () => {
    const { data, dtype, shape } = TensorData.fromBFloat16(bits, { key: "weights", shape: [2, 4] });
    expect([dtype, shape]).toEqual(["float32", [2, 4]]);
    const tiny = 2 ** -133;
    expect([...data]).toEqual([
      1,
      -0.5,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      0,
      -0,
      Number.NaN,
      tiny,
    ]);
    // A NaN keeps its bits.
    expect(new Uint32Array((data as Float32Array).buffer)[6]).toBe(0x7fc10000);
  });

  it("refuses other arrays, other shapes and misspelt options", () => {
    expect(messageOf(() => TensorData.fromBFloat16(untyped([1]) as Uint16Array))).toBe(
      "tensor: fromBFloat16 takes a Uint16Array, got an array",
    );
    expect(messageOf(() => TensorData.fromBFloat16(bits, { shape: [3] }))).toMatch(
      "[3] does not hold 8 elements",
    );
    expect(messageOf(() => TensorData.fromBFloat16(bits, { shap: [8] } as object))).toMatch("unknown");
  });

  it("is what is named where bits of 16 stand for floats", () => {
    const remedy = "a Uint16Array is no float32; TensorData.fromBFloat16 reads bits of bfloat16";
    const inRecord = untyped({ data: bits, dtype: "float32" }) as TensorData;
    expect(messageOf(() => TensorData.from(inRecord))).toMatch(remedy);
    expect(messageOf(() => TensorData.from(bits, { key: "weights" }))).toMatch(
      `loss_fn_inputs.weights: ${remedy}`,
    );
    expect(messageOf(() => TensorData.from(bits, { dtype: "float32" }))).toMatch(remedy);
    expect(TensorData.from(Uint16Array.of(7), { key: "target_tokens" }).data).toEqual(Int32Array.of(7));
    expect(TensorData.from(Uint16Array.of(7)).dtype).toBe("int64");
  });
});

describe("TensorData.from", () => {
  it("uses typed arrays that fit as they are, without a copy", () => {
    for (const array of [new Float32Array(3), new Int32Array(3), new BigInt64Array(3)]) {
      expect(TensorData.from(array).data).toBe(array);
    }
  });

  it("sends only the window of a view (BR-039)", () => {
    const view = Float32Array.of(9, 0.5, 0.25, 9).subarray(1, 3);
    expect(toNumbers(TensorData.from(view))).toEqual([0.5, 0.25]);
  });

  it.each([
    ["Int8Array", Int8Array.of(-1, 127)],
    ["Uint8Array", Uint8Array.of(1, 255)],
    ["Uint8ClampedArray", Uint8ClampedArray.of(1, 255)],
    ["Int16Array", Int16Array.of(-1, 2)],
    ["Uint16Array", Uint16Array.of(1, 65535)],
    ["Uint32Array", Uint32Array.of(1, 4294967295)],
    ["BigUint64Array", BigUint64Array.of(1n, 2n)],
  ])("makes int64 of a %s", (_name, array) => {
    const tensor = TensorData.from(array);
    expect(tensor.dtype).toBe("int64");
    expect(toNumbers(tensor)).toEqual(Array.from(array, Number));
  });

  it("takes the dtype of a plain list from its key, whatever the values (BR-096)", () => {
    expect(TensorData.from([0, 1, 1], { key: "weights" })).toEqual({
      data: Float32Array.of(0, 1, 1),
      dtype: "float32",
      shape: [3],
    });
    expect(TensorData.from([7, 8], { key: "target_tokens" }).data).toEqual(Int32Array.of(7, 8));
  });

  it("wire-types 19: keeps an empty list of tokens, with its shape", () => {
    const tensor = TensorData.from([], { key: "target_tokens" });
    expect(tensor).toEqual({ data: new Int32Array(0), dtype: "int64", shape: [0] });
  });

  it("wire-types 20: nests lists of weights into a shape, and refuses ragged ones", () => {
    const weights = (value: TensorLike) => TensorData.from(value, { key: "weights" });
    const rows = [
      [1, 2],
      [3, 4],
    ];
    expect(weights(rows)).toEqual({ data: Float32Array.of(1, 2, 3, 4), dtype: "float32", shape: [2, 2] });
    expect(weights([[]])).toEqual({ data: new Float32Array(0), dtype: "float32", shape: [1, 0] });
    expect(messageOf(() => weights([[1, 2], [3]]))).toMatch(/^loss_fn_inputs\.weights.* ragged/);
  });

  it("wire-types 24: takes the dtype of a typed array, even where a list under that key has another", () => {
    expect(TensorData.from(Float32Array.of(1, 2), { key: "weights" })).toEqual({
      data: Float32Array.of(1, 2),
      dtype: "float32",
      shape: [2],
    });
    expect(TensorData.from(BigInt64Array.of(1n, 2n), { key: "target_tokens" })).toEqual({
      data: BigInt64Array.of(1n, 2n),
      dtype: "int64",
      shape: [2],
    });
    expect(TensorData.from(Int32Array.of(1, 2), { key: "weights" })).toEqual({
      data: Int32Array.of(1, 2),
      dtype: "int64",
      shape: [2],
    });
  });

  it("refuses a plain list whose dtype nobody states, and says what to do", () => {
    expect(messageOf(() => TensorData.from([1]))).toBe(
      "tensor: the dtype of a plain list is not known here; pass `dtype`, or a typed array",
    );
    expect(messageOf(() => TensorData.from([1], { key: "toString" }))).toMatch(
      /loss_fn_inputs\.toString: .*target_tokens, weights, .*pass a typed array or a TensorData/,
    );
  });

  it("makes target_tokens integers even when a float array holds them", () => {
    const tensor = TensorData.from(Float32Array.of(3, 4), { key: "target_tokens" });
    expect(tensor).toEqual({ data: Int32Array.of(3, 4), dtype: "int64", shape: [2] });
  });

  it("lets `dtype` and `shape` of the options win", () => {
    const tensor = TensorData.from(Int32Array.of(1, 2, 3, 4), { dtype: "float32", shape: [2, 2] });
    expect(tensor).toEqual({ data: Float32Array.of(1, 2, 3, 4), dtype: "float32", shape: [2, 2] });
  });

  it("gives a scalar the shape []", () => {
    expect(TensorData.from(2.5, { dtype: "float32" }).shape).toEqual([]);
    expect(TensorData.from(3n, { dtype: "int64" }).data).toEqual(BigInt64Array.of(3n));
  });

  it("keeps integers beyond int32 exactly (BR-092)", () => {
    expect(TensorData.from([2 ** 31 + 5], { key: "target_tokens" }).data).toEqual([2 ** 31 + 5]);
    expect(TensorData.from([2n ** 60n, 1], { key: "target_tokens" }).data).toEqual(
      BigInt64Array.of(2n ** 60n, 1n),
    );
  });

  it("reads tf.Tensor look-alikes by their dtype", () => {
    const tensor = (dtype: string, values: ArrayLike<unknown>) => ({
      dtype,
      shape: [1, 2],
      dataSync: () => values,
      data: async () => values,
    });
    expect(TensorData.from(tensor("float32", Float32Array.of(1, 2)))).toEqual({
      data: Float32Array.of(1, 2),
      dtype: "float32",
      shape: [1, 2],
    });
    expect(TensorData.from(tensor("int32", Int32Array.of(1, 2))).dtype).toBe("int64");
    expect(TensorData.from(tensor("bool", Uint8Array.of(1, 0))).data).toEqual(Int32Array.of(1, 0));
    expect(messageOf(() => TensorData.from(tensor("complex64", [])))).toMatch(/dtype complex64/);
  });

  it.each<[string, TensorLike, object, string, (string | number)[]]>([
    [
      "a fraction among tokens",
      [1, 2.5],
      { key: "target_tokens", datumIndex: 3 },
      "data[3].loss_fn_inputs.target_tokens[1]: expected an integer, got 2.5",
      ["data", 3, "loss_fn_inputs", "target_tokens", 1],
    ],
    [
      "a string",
      untyped([0.5, "x"]),
      { key: "weights", datumIndex: 0 },
      'data[0].loss_fn_inputs.weights[1]: expected a number, got "x"',
      ["data", 0, "loss_fn_inputs", "weights", 1],
    ],
    [
      "a number too large for float32",
      Float64Array.of(0, 1e300),
      {},
      "tensor[1]: 1e+300 is beyond the range of float32 (about ±3.4e38)",
      [1],
    ],
    [
      "an unsigned value beyond int64",
      BigUint64Array.of(0n, 2n ** 63n),
      {},
      "tensor[1]: 9223372036854775808 does not fit int64",
      [1],
    ],
    [
      "a number that has lost digits",
      [2 ** 60],
      { dtype: "int64" },
      "tensor[0]: 1152921504606847000 is beyond 2^53, where numbers lose digits; pass a bigint",
      [0],
    ],
    [
      "ragged lists",
      [[1, 2], [3]],
      { key: "weights" },
      "loss_fn_inputs.weights[2]: nested lists are ragged: one has length 2, another 1",
      ["loss_fn_inputs", "weights", 2],
    ],
    [
      "a shape that does not fit",
      [1, 2, 3],
      { dtype: "float32", shape: [2, 2] },
      "tensor: shape [2, 2] does not hold 3 elements",
      [],
    ],
    [
      "a DataView",
      untyped(new DataView(new ArrayBuffer(8))),
      {},
      "tensor: a DataView holds bytes, not numbers",
      [],
    ],
    ["an object", untyped({ length: 1 }), {}, "tensor: expected numbers, got an object", []],
  ])("names the place of %s", (_name, value, options, message, path) => {
    try {
      TensorData.from(value, options);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ValidationError);
      expect((error as ValidationError).message).toBe(message);
      expect((error as ValidationError).path).toEqual(path);
    }
  });

  it("checks the structure of a sparse tensor", () => {
    const sparse = {
      data: [1, 2],
      dtype: "float32",
      shape: [2, 3],
      sparse_crow_indices: [0, 1, 2],
      sparse_col_indices: [0, 2],
    } as const;
    expect(TensorData.from(sparse)).toEqual({ ...sparse, data: Float32Array.of(1, 2) });
    expect(messageOf(() => TensorData.from({ ...sparse, sparse_col_indices: [0, 3] }))).toMatch(
      /column below 3/,
    );
  });

  it("rounds any double to float32 as Math.fround does, and never makes a finite value infinite", () => {
    fc.assert(
      fc.property(fc.array(fc.double()), (values) => {
        const fits = values.every((value) => Number.isFinite(Math.fround(value)) || !Number.isFinite(value));
        if (!fits) {
          expect(() => TensorData.from(values, { dtype: "float32" })).toThrow(ValidationError);
          return;
        }
        const { data } = TensorData.from(values, { dtype: "float32" });
        expect(data).toEqual(Float32Array.from(values));
      }),
    );
  });

  it("keeps every int64, given as bigint or typed array", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.array(int64), (values) => {
        const expected = BigInt64Array.from(values);
        expect(toTypedArray(TensorData.from(values, { dtype: "int64" }))).toEqual(expected);
        expect(toTypedArray(TensorData.from(BigInt64Array.from(values)))).toEqual(expected);
      }),
    );
  });

  it("flattens nested lists of any rectangular shape in row-major order", () => {
    const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(shapes, (shape) => {
        let next = 0;
        const build = (depth: number): unknown =>
          depth === shape.length ? next++ : Array.from({ length: shape[depth] ?? 0 }, () => build(depth + 1));
        const tensor = TensorData.from(untyped(build(0)), { dtype: "int64" });
        expect(tensor.shape).toEqual(shape);
        expect(toNumbers(tensor)).toEqual(Array.from({ length: next }, (_, index) => index));
      }),
    );
  });
});

describe("each thing is checked once", () => {
  const wide = Array.from({ length: 50 }, (_, index) => 2 ** 40 + index);

  it("looks at the elements of a list in the cast alone", () => {
    const isSafeInteger = vi.spyOn(Number, "isSafeInteger");
    const { data } = TensorData.from(wide, { dtype: "int64" });
    const looks = isSafeInteger.mock.calls.length;
    isSafeInteger.mockRestore();
    expect(data).toEqual(wide);
    expect(looks).toBe(wide.length);
  });

  it("looks at the elements of a record in the cast alone, and at its shape", () => {
    const isSafeInteger = vi.spyOn(Number, "isSafeInteger");
    TensorData.from({ data: wide, dtype: "int64", shape: [5, 10] });
    const looks = isSafeInteger.mock.calls.length;
    isSafeInteger.mockRestore();
    expect(looks).toBe(wide.length + 2);
  });

  it.each<[string, TensorLike, object]>([
    ["a record", { data: [1, 2, 3], dtype: "float32", shape: [2] }, {}],
    ["the options, of a list", [1, 2, 3], { shape: [2] }],
    ["the options, of a typed array", Float32Array.of(1, 2, 3), { shape: [2] }],
    [
      "a tf.Tensor look-alike",
      { dataSync: () => [1, 2, 3], data: async () => [1, 2, 3], shape: [2], dtype: "float32" },
      {},
    ],
  ])(
    "refuses a shape that %s states and that does not hold the elements, with its place",
    (_, value, stated) => {
      expect(() => TensorData.from(value, { key: "advantages", datumIndex: 3, ...stated })).toThrow(
        new ValidationError("data[3].loss_fn_inputs.advantages: shape [2] does not hold 3 elements", {
          path: ["data", 3, "loss_fn_inputs", "advantages"],
        }),
      );
    },
  );
});

describe("toNumbers and toTypedArray", () => {
  it("refuses an int64 that a number cannot hold", () => {
    expect(() => toNumbers({ data: BigInt64Array.of(1n, 2n ** 53n), dtype: "int64" })).toThrow(
      "tensor[1]: 9007199254740992 is beyond 2^53",
    );
  });

  it("gives the typed array of the dtype", () => {
    expect(toTypedArray({ data: [1, 2], dtype: "int64" })).toEqual(BigInt64Array.of(1n, 2n));
    expect(toTypedArray({ data: Int32Array.of(1), dtype: "int64" })).toEqual(BigInt64Array.of(1n));
    expect(toTypedArray({ data: [0.1], dtype: "float32" })).toEqual(Float32Array.of(0.1));
  });
});

describe("options that mean nothing", () => {
  it("names the dtypes there are, whatever the values", () => {
    expect(() => TensorData.from([1.5], { dtype: "float16" as "float32", key: "weights" })).toThrow(
      'loss_fn_inputs.weights: dtype must be "int64" or "float32", got "float16"',
    );
  });

  it.each([2, "2", {}])("refuses %j as shape", (shape) => {
    expect(() => TensorData.from([1, 2], { key: "weights", shape: shape as unknown as number[] })).toThrow(
      /^loss_fn_inputs\.weights: shape must be a list of sizes, got /,
    );
  });
});

it("refuses an integer that is infinite as float32, also where it is beyond every number", () => {
  for (const value of [2n ** 1000n, 2n ** 2000n, -(2n ** 2000n)]) {
    expect(() => TensorData.from([0, value], { dtype: "float32" })).toThrow("is beyond the range of float32");
  }
});

it("names the key that a misspelt one was probably meant to be", () => {
  expect(() => TensorData.from([1, 1], { key: "wieghts" })).toThrow(
    'did you mean "weights"? keys whose lists',
  );
  expect(() => TensorData.from([1, 1], { key: "x" })).toThrow("is not known here; keys whose lists");
});
