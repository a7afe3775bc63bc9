import type { TensorDtype } from "@tinkex/types";
import { isLittleEndian, swapped } from "./byte-order.js";
import type { ProtoReader } from "./proto-reader.js";

/** Numbers of the schema's `DType`. Requests use the first two; results may use all four. */
export const PROTO_DTYPE = { float32: 1, int64: 2, int32: 3, bfloat16: 4 } as const;

/** Elements as they lie in a field of bytes. */
interface ElementKind {
  readonly elementBytes: number;
  /** The dtype that they have in memory: int32 is widened to int64 and bfloat16 to float32. */
  readonly dtype: TensorDtype;
  readonly arrayOf: (bytes: Uint8Array) => Float32Array | BigInt64Array;
}

const ELEMENT_KINDS: Readonly<Record<number, ElementKind>> = {
  [PROTO_DTYPE.float32]: { elementBytes: 4, dtype: "float32", arrayOf: float32Of },
  [PROTO_DTYPE.int64]: { elementBytes: 8, dtype: "int64", arrayOf: int64Of },
  [PROTO_DTYPE.int32]: { elementBytes: 4, dtype: "int64", arrayOf: int64OfInt32 },
  [PROTO_DTYPE.bfloat16]: { elementBytes: 2, dtype: "float32", arrayOf: float32OfBfloat16 },
};

/** The elements of a tensor as they were read, and how many bytes each took on the wire. */
export interface ReadElements {
  readonly data: Float32Array | BigInt64Array;
  readonly dtype: TensorDtype;
  readonly elementBytes: number;
}

/**
 * Reads the elements in the bytes of `field`: a view on them where they are aligned.
 *
 * @throws DecodeError for a dtype that does not exist, and for a part of an element
 */
export function readElements(
  reader: ProtoReader,
  bytes: Uint8Array,
  dtype: number,
  field: string,
): ReadElements {
  const kind = ELEMENT_KINDS[dtype];
  if (kind === undefined) throw reader.fault("dtype", `dtype ${dtype} of ${field} is not known`);
  const { elementBytes } = kind;
  if (bytes.length % elementBytes !== 0) {
    throw reader.fault(
      field,
      `${bytes.length} bytes are not a whole number of elements of ${elementBytes} bytes`,
    );
  }
  return { data: kind.arrayOf(bytes), dtype: kind.dtype, elementBytes };
}

/** Gives float32 elements: a view on `bytes` where they are aligned, else a copy. The length must be a multiple of 4. */
export function float32Of(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const source = alignedLittleEndian(bytes, 4);
  return new Float32Array(source.buffer, source.byteOffset, source.byteLength / 4);
}

/** Gives int32 elements, as {@link float32Of} does. */
export function int32Of(bytes: Uint8Array): Int32Array<ArrayBuffer> {
  const source = alignedLittleEndian(bytes, 4);
  return new Int32Array(source.buffer, source.byteOffset, source.byteLength / 4);
}

/** Gives int64 elements, as {@link float32Of} does; the length must be a multiple of 8. */
export function int64Of(bytes: Uint8Array): BigInt64Array<ArrayBuffer> {
  const source = alignedLittleEndian(bytes, 8);
  return new BigInt64Array(source.buffer, source.byteOffset, source.byteLength / 8);
}

/** Widens bfloat16, the upper half of a float32. The length must be a multiple of 2. */
function float32OfBfloat16(bytes: Uint8Array): Float32Array<ArrayBuffer> {
  const bits = new Uint32Array(bytes.byteLength / 2);
  for (let index = 0; index < bits.length; index += 1) {
    const low = bytes[2 * index] ?? 0;
    const high = bytes[2 * index + 1] ?? 0;
    bits[index] = ((high << 24) | (low << 16)) >>> 0;
  }
  return new Float32Array(bits.buffer);
}

/** Widens int32 elements to int64, the only integer type of records. */
function int64OfInt32(bytes: Uint8Array): BigInt64Array<ArrayBuffer> {
  return BigInt64Array.from(int32Of(bytes), BigInt);
}

function alignedLittleEndian(bytes: Uint8Array, elementBytes: number): Uint8Array<ArrayBuffer> {
  if (!isLittleEndian) return swapped(bytes, elementBytes);
  const { buffer, byteOffset, byteLength } = bytes;
  if (!(buffer instanceof ArrayBuffer)) return new Uint8Array(bytes);
  if (byteOffset % elementBytes === 0) return new Uint8Array(buffer, byteOffset, byteLength);
  // Unlike a new typed array, this is not filled with zeros first.
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
