import { elementCount, type TensorData } from "@tinkex/base";
import fc from "fast-check";

/** Number of runs of each round trip. */
export const ROUND_TRIPS = { numRuns: 2000 } as const;

/** Scalars, empty tensors, small ones of up to four dimensions, and now and then one of many elements or dimensions. */
const anyShape: fc.Arbitrary<number[]> = fc.oneof(
  { weight: 40, arbitrary: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<number[]>([70_001], [300, 257], [0, 1_000_000], [1, 1, 2, 1, 1, 3]),
  },
);

/** Rows and columns. */
const matrixShape = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 2 });

/** Bits of float32: any, and those of zeros, infinities, NaNs with a payload, subnormals and the ends of the range. */
const floatBits = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc.constantFrom(
    ...[0, 0x8000_0000, 0x7f80_0000, 0xff80_0000], // ±0, ±Infinity
    ...[0x7fc0_0000, 0x7fc1_2345, 0x7f80_0001, 0xffff_ffff], // NaN: plain, with payload, signalling, negative
    ...[1, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff], // subnormals, smallest normal, largest
  ),
);

/** Any int64, those that fit int32, and those where numbers or 64 bits end. */
const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.integer().map(BigInt),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n),
  fc.constantFrom(2n ** 31n, 2n ** 31n - 1n, -(2n ** 31n), 0n, -1n),
);

/** Repeats a few drawn elements until the shape is full: large tensors cost no more drawing than small ones. */
function elementsOf<Element>(element: fc.Arbitrary<Element>): fc.Arbitrary<(index: number) => Element> {
  return fc.array(element, { minLength: 1, maxLength: 30 }).map((drawn) => {
    // `index` is of an element, so the remainder is of one that was drawn.
    return (index) => drawn[index % drawn.length] as Element;
  });
}

type TensorOf<Data> = fc.Arbitrary<TensorData & { readonly data: Data; readonly shape: number[] }>;

function float32Of(bits: fc.Arbitrary<number>, shapes: fc.Arbitrary<number[]>): TensorOf<Float32Array> {
  return fc.tuple(shapes, elementsOf(bits)).map(([shape, at]) => {
    const words = Uint32Array.from({ length: elementCount(shape) }, (_, index) => at(index));
    return { data: new Float32Array(words.buffer), dtype: "float32", shape };
  });
}

function int64Of(values: fc.Arbitrary<bigint>, shapes: fc.Arbitrary<number[]>): TensorOf<BigInt64Array> {
  return fc.tuple(shapes, elementsOf(values)).map(([shape, at]) => ({
    data: BigInt64Array.from({ length: elementCount(shape) }, (_, index) => at(index)),
    dtype: "int64",
    shape,
  }));
}

export const float32Tensors = float32Of(floatBits, anyShape);

/** Without what JSON cannot hold: NaN, infinities and the sign of zero. */
export const jsonFloat32Tensors = float32Of(
  floatBits.filter((bits) => (bits & 0x7f80_0000) !== 0x7f80_0000 && bits !== 0x8000_0000),
  anyShape,
);

export const int64Tensors = int64Of(integers, anyShape);

/** Integers that a number holds exactly. */
export const safeInt64Tensors = int64Of(
  integers.filter((value) => Number.isSafeInteger(Number(value))),
  anyShape,
);

/** Integers as programs have them: 32 bits wide. */
export const int32Tensors: TensorOf<Int32Array> = fc
  .tuple(anyShape, elementsOf(fc.integer()))
  .map(([shape, at]) => ({
    data: Int32Array.from({ length: elementCount(shape) }, (_, index) => at(index)),
    dtype: "int64",
    shape,
  }));

/** Matrices most of whose elements are 0 or -1, which is what padding is made of. */
export const sparseMatrices = fc.oneof(
  float32Of(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(0, 0xbf80_0000) }, { weight: 1, arbitrary: floatBits }),
    matrixShape,
  ),
  int64Of(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(0n, -1n) }, { weight: 1, arbitrary: integers }),
    matrixShape,
  ),
);

/** Tells whether two arrays hold the same elements to the bit, in the same kind of array. */
export function sameBits(left: ArrayBufferView, right: ArrayBufferView): boolean {
  return left.constructor === right.constructor && Buffer.compare(bytesOf(left), bytesOf(right)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
