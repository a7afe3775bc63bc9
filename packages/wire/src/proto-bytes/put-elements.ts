import { narrowListInto, roundListInto } from "@tinkex/base";
import { isLittleEndian, swapped } from "./byte-order.js";

/** Gives the elements of `array` as little-endian bytes: the array's own memory where the host allows. */
export function bytesOfElements(array: Float32Array | Int32Array | BigInt64Array): Uint8Array {
  const { buffer, byteLength } = array;
  // A view of a whole buffer takes half the time of a view of a part.
  const bytes =
    byteLength === buffer.byteLength
      ? new Uint8Array(buffer)
      : new Uint8Array(buffer, array.byteOffset, byteLength);
  return isLittleEndian ? bytes : swapped(bytes, array.BYTES_PER_ELEMENT);
}

/** Elements converted at a time; their bytes stay in the processor's nearest cache. */
const BLOCK = 1024;

/**
 * Memory in which a block of an array becomes elements before it is copied to its place. Stores into an aligned typed array cost less than
 * those of a `DataView`, and protobuf fields are not aligned.
 */
const block = new ArrayBuffer(BLOCK * 8);
const floats = new Float32Array(block);
const ints = new Int32Array(block);
const bytes = new Uint8Array(block);

/** Writes numbers as float32 to `target`. Gives the index of the first that is none, or -1. */
export function putFloat32(target: Uint8Array, offset: number, values: readonly number[]): number {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    const bad = roundRest(values, start, count, roundListInto(floats, values, start, count));
    if (bad !== -1) return bad;
    putBlock(target, offset + start * 4, count, 4);
  }
  return -1;
}

/** Rounds the elements of the block from `done` on, the first one that is not finite as a float32. */
function roundRest(values: readonly number[], start: number, count: number, done: number): number {
  for (let index = done; index < count; index += 1) {
    const value = values[start + index];
    // A finite number that rounds to infinity is a mistake; NaN and the infinities themselves are float32 values.
    if (typeof value !== "number" || (Number.isFinite(value) && !Number.isFinite(Math.fround(value))))
      return start + index;
    floats[index] = value;
  }
  return -1;
}

/** Writes numbers as int32 to `target`. Gives the index of the first that is none, or -1. */
export function putInt32(target: Uint8Array, offset: number, values: readonly number[]): number {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    const done = narrowListInto(ints, values, start, count);
    if (done < count) return start + done;
    putBlock(target, offset + start * 4, count, 4);
  }
  return -1;
}

/** Writes safe integers as int64 to `target`, in two halves. Gives the index of the first that is none, or -1. */
export function putInt64(target: Uint8Array, offset: number, values: readonly number[]): number {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    for (let index = fourWidenedAtATime(values, start, count); index < count; index += 1) {
      const value = values[start + index] as number;
      if (!Number.isSafeInteger(value)) return start + index;
      ints[2 * index] = value;
      ints[2 * index + 1] = Math.floor(value / 0x1_0000_0000);
    }
    putBlock(target, offset + start * 8, count, 8);
  }
  return -1;
}

/** Elements of the block up to the first four of which one is no int32, each as an int64: `narrowListInto` in pairs of words. */
function fourWidenedAtATime(values: readonly unknown[], start: number, count: number): number {
  for (let index = 0; index + 3 < count; index += 4) {
    const at = start + index;
    const first = values[at];
    const second = values[at + 1];
    const third = values[at + 2];
    const fourth = values[at + 3];
    if (typeof first !== "number" || typeof second !== "number") return index;
    if (typeof third !== "number" || typeof fourth !== "number") return index;
    const a = first | 0;
    const b = second | 0;
    const c = third | 0;
    const d = fourth | 0;
    if (a !== first || b !== second || c !== third || d !== fourth) return index;
    const place = 2 * index;
    ints[place] = a;
    ints[place + 1] = a >> 31;
    ints[place + 2] = b;
    ints[place + 3] = b >> 31;
    ints[place + 4] = c;
    ints[place + 5] = c >> 31;
    ints[place + 6] = d;
    ints[place + 7] = d >> 31;
  }
  return count & ~3;
}

/**
 * Writes 32-bit integers as int64. Apart from lists, so that the engine compiles each loop for one kind of array. Four at a time, in half
 * the time of a loop over one.
 */
export function putWidened(target: Uint8Array, offset: number, values: Int32Array): void {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    let index = 0;
    for (; index + 3 < count; index += 4) {
      const at = start + index;
      const a = values[at] as number;
      const b = values[at + 1] as number;
      const c = values[at + 2] as number;
      const d = values[at + 3] as number;
      const place = 2 * index;
      ints[place] = a;
      ints[place + 1] = a >> 31;
      ints[place + 2] = b;
      ints[place + 3] = b >> 31;
      ints[place + 4] = c;
      ints[place + 5] = c >> 31;
      ints[place + 6] = d;
      ints[place + 7] = d >> 31;
    }
    for (; index < count; index += 1) {
      const value = values[start + index] as number;
      ints[2 * index] = value;
      ints[2 * index + 1] = value >> 31;
    }
    putBlock(target, offset + start * 8, count, 8);
  }
}

/**
 * The filled part of the block as it was last wanted, for elements of 32 and of 64 bits. The tensors of a batch are alike in
 * length, and a view made anew for each takes as long as 60 elements.
 */
let filledBy32 = bytes;
let filledBy64 = bytes;

function putBlock(target: Uint8Array, offset: number, count: number, elementBytes: 4 | 8): void {
  const byteLength = count * elementBytes;
  let filled = elementBytes === 4 ? filledBy32 : filledBy64;
  if (filled.length !== byteLength) {
    filled = bytes.subarray(0, byteLength);
    if (elementBytes === 4) filledBy32 = filled;
    else filledBy64 = filled;
  }
  // Every element is written as words of 32 bits, int64 the lower one first: a host that must swap swaps those.
  target.set(isLittleEndian ? filled : swapped(filled, 4), offset);
}
