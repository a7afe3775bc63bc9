import { createHash, type Hash } from "node:crypto";

/**
 * A digest by which a resent request is recognised. Bodies that mean the same have the same one: keys in any order,
 * `null` or `undefined` for absent, and numbers whether they came as a list or as a typed array.
 */
export function fingerprint(value: unknown): string {
  const hash = createHash("sha256");
  addValue(hash, value);
  return hash.digest("base64");
}

function addValue(hash: Hash, value: unknown): void {
  if (value === null || value === undefined) hash.update("~");
  else if (typeof value === "string") hash.update(`s${value.length}:${value}`);
  else if (typeof value === "object") addObject(hash, value);
  else hash.update(`${Object.is(value, -0) ? "-0" : String(value)};`);
}

function addObject(hash: Hash, value: object): void {
  if (Array.isArray(value) || isNumericArray(value)) {
    hash.update(`[${value.length}:`);
    if (isNumericArray(value) || value.every((entry) => typeof entry === "number"))
      hash.update(doubles(value));
    else for (const entry of value) addValue(hash, entry);
    return;
  }
  if (value instanceof Uint8Array) {
    hash.update(`b${value.length}:`).update(value);
    return;
  }
  hash.update("{");
  for (const [key, entry] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (entry === null || entry === undefined) continue;
    addValue(hash, key);
    addValue(hash, entry);
  }
  hash.update("}");
}

type NumericArray = Int32Array | Float32Array | BigInt64Array;

function isNumericArray(value: object): value is NumericArray {
  return value instanceof Int32Array || value instanceof Float32Array || value instanceof BigInt64Array;
}

/** Doubles hold every token id and float32 exactly; integers beyond 2⁵³ are written as text. */
function doubles(values: readonly number[] | NumericArray): Float64Array | string {
  const numbers =
    values instanceof BigInt64Array ? Float64Array.from(values, Number) : Float64Array.from(values);
  return values instanceof BigInt64Array && !numbers.every(Number.isSafeInteger) ? values.join() : numbers;
}
