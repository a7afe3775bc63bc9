import { littleEndian } from "./element-bytes.js";

/** Elements converted at a time; their bytes stay in the processor's nearest cache. */
const BLOCK = 1024;

/**
 * Where a block of a list becomes elements before it is copied to its place. Stores into an aligned typed array cost less than
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
    // Two at a time, in sums of their own, so that an addition need not wait for the one before. A sum stays 0 unless a value
    // is NaN or infinite once it is rounded.
    let evenSum = 0;
    let oddSum = 0;
    const pairs = count & ~1;
    for (let index = 0; index < pairs; index += 2) {
      const even = values[start + index];
      const odd = values[start + index + 1];
      if (typeof even !== "number") return start + index;
      if (typeof odd !== "number") return start + index + 1;
      const evenFloat = Math.fround(even);
      const oddFloat = Math.fround(odd);
      floats[index] = evenFloat;
      floats[index + 1] = oddFloat;
      evenSum += evenFloat * 0;
      oddSum += oddFloat * 0;
    }
    if (pairs < count) {
      const last = values[start + pairs];
      if (typeof last !== "number") return start + pairs;
      floats[pairs] = last;
      evenSum += Math.fround(last) * 0;
    }
    if (evenSum + oddSum !== 0) {
      const overflow = firstOverflow(values, start, start + count);
      if (overflow !== -1) return overflow;
    }
    putBlock(target, offset + start * 4, count * 4);
  }
  return -1;
}

/** A finite number that rounds to infinity is a mistake; NaN and the infinities themselves are float32 values. */
function firstOverflow(values: readonly number[], start: number, end: number): number {
  for (let index = start; index < end; index++) {
    const value = values[index] ?? 0;
    if (Number.isFinite(value) && !Number.isFinite(Math.fround(value))) return index;
  }
  return -1;
}

/** Writes numbers as int32 to `target`. Gives the index of the first that is none, or -1. */
export function putInt32(target: Uint8Array, offset: number, values: readonly number[]): number {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    for (let index = 0; index < count; index++) {
      const value = values[start + index] as number;
      const low = value | 0;
      if (low !== value) return start + index;
      ints[index] = low;
    }
    putBlock(target, offset + start * 4, count * 4);
  }
  return -1;
}

/** Writes safe integers as int64 to `target`, in two halves. Gives the index of the first that is none, or -1. */
export function putInt64(target: Uint8Array, offset: number, values: readonly number[]): number {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    for (let index = 0; index < count; index++) {
      const value = values[start + index] as number;
      const low = value | 0;
      ints[2 * index] = low;
      if (low === value) {
        ints[2 * index + 1] = low >> 31;
        continue;
      }
      if (!Number.isSafeInteger(value)) return start + index;
      ints[2 * index + 1] = Math.floor(value / 0x1_0000_0000);
    }
    putBlock(target, offset + start * 8, count * 8);
  }
  return -1;
}

/** 32-bit integers as int64. Apart from lists, so that the engine compiles each loop for one kind of array. */
export function putWidened(target: Uint8Array, offset: number, values: Int32Array): void {
  for (let start = 0; start < values.length; start += BLOCK) {
    const count = Math.min(BLOCK, values.length - start);
    for (let index = 0; index < count; index++) {
      const value = values[start + index] as number;
      ints[2 * index] = value;
      ints[2 * index + 1] = value >> 31;
    }
    putBlock(target, offset + start * 8, count * 8);
  }
}

function putBlock(target: Uint8Array, offset: number, byteLength: number): void {
  const filled = byteLength === bytes.length ? bytes : bytes.subarray(0, byteLength);
  // Every element is written as words of 32 bits, int64 the lower one first: a host that must swap swaps those.
  target.set(littleEndian(filled, 4), offset);
}
