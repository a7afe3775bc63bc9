import { checkNumberList, formatPath, MAX_JSON_DEPTH, ValidationError } from "@tinkex/base";
import { toBase64 } from "@tinkex/types";
import { type EncodedBody, JSON_TYPE } from "../encoded-body.js";
import { JsonBytes } from "./json-bytes.js";
import { JsonLiteral } from "./json-literal.js";

/** Further kinds of value than `JSON.stringify` knows, as they occur in records. */
type NumericArray = Float32Array | Int32Array | BigInt64Array;

/** Kept from one body to the next. Taken while a body is written: a getter of what is written may write another one. */
let spare: JsonBytes | undefined;

/** Writes a value as a JSON body. @throws ValidationError as {@link writeJson} */
export function jsonBody(value: unknown, what: string): EncodedBody {
  return { body: jsonBytes(value, what), contentType: JSON_TYPE };
}

/**
 * Writes compact JSON of a record. As `JSON.stringify`, but bigints are written as bare integers, numeric arrays as lists of
 * numbers and bytes as base64; members that are undefined are left out.
 *
 * @param what - name of the record in the error
 * @throws ValidationError for NaN and infinities, which JSON does not have (`JSON.stringify` would write null)
 */
export function writeJson(value: unknown, what: string): string {
  return new TextDecoder().decode(jsonBytes(value, what));
}

function jsonBytes(value: unknown, what: string): Uint8Array<ArrayBuffer> {
  const out = spare ?? new JsonBytes();
  spare = undefined;
  try {
    new JsonWriter(out, what).write(value);
    return out.take();
  } finally {
    out.clear();
    spare = out;
  }
}

/** Writes one value, and knows the place of the part that it is at. */
class JsonWriter {
  readonly #out: JsonBytes;
  readonly #what: string;
  readonly #path: (string | number)[] = [];

  constructor(out: JsonBytes, what: string) {
    this.#out = out;
    this.#what = what;
  }

  write(value: unknown): void {
    if (this.#path.length > MAX_JSON_DEPTH) {
      const message = `more than ${MAX_JSON_DEPTH} levels; does a value hold itself?`;
      throw this.#fault(message, this.#path.slice(0, 3));
    }
    if (typeof value === "object" && value !== null) this.#writeObject(value);
    else this.#out.text(this.#plainText(value));
  }

  #plainText(value: unknown): string {
    switch (typeof value) {
      case "number":
        if (!Number.isFinite(value)) throw this.#fault(`${value} has no JSON form`);
        return `${value}`;
      case "bigint":
        return `${value}`;
      case "object":
      case "string":
      case "boolean":
        return JSON.stringify(value);
      default:
        throw this.#fault(`${value === undefined ? "undefined" : `a ${typeof value}`} has no JSON form`);
    }
  }

  #writeObject(value: object): void {
    if (value instanceof JsonLiteral) this.#out.text(value.text);
    else if (value instanceof Uint8Array) this.#out.text(`"${toBase64(value)}"`);
    else if (value instanceof Float32Array || value instanceof Int32Array || value instanceof BigInt64Array)
      this.#writeNumericArray(value);
    else if (Array.isArray(value)) this.#writeList(value);
    else this.#writeFields(value);
  }

  #writeFields(value: object): void {
    const fields = value as Readonly<Record<string, unknown>>;
    let opening = "{";
    for (const key in fields) {
      const member = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (member === undefined) continue;
      this.#out.text(opening);
      opening = ",";
      this.#out.text(nameOf(key));
      this.#writeAt(key, member);
    }
    this.#out.text(opening === "{" ? "{}" : "}");
  }

  #writeList(list: readonly unknown[]): void {
    if (this.#out.tryIntegers(list)) return;
    // One check, then the fast native writer: lists of numbers may be megabytes long. Not `every`, which passes over holes.
    let finite = 0;
    while (finite < list.length && Number.isFinite(list[finite])) finite += 1;
    if (finite === list.length) {
      this.#out.text(JSON.stringify(list));
      return;
    }
    let opening = "[";
    for (const [index, item] of list.entries()) {
      this.#out.text(opening);
      opening = ",";
      this.#writeAt(index, item);
    }
    this.#out.text("]");
  }

  #writeNumericArray(array: NumericArray): void {
    checkNumberList(array, formatPath([this.#what, ...this.#path]));
    if (array instanceof Float32Array) {
      const index = array.findIndex((element) => !Number.isFinite(element));
      if (index !== -1) throw this.#fault(`${array[index]} has no JSON form`, [...this.#path, index]);
    }
    if (array instanceof Int32Array) this.#out.tryIntegers(array);
    else this.#out.text(`[${array.join(",")}]`);
  }

  #writeAt(place: string | number, value: unknown): void {
    this.#path.push(place);
    this.write(value);
    this.#path.pop();
  }

  #fault(message: string, path: readonly (string | number)[] = this.#path): ValidationError {
    return new ValidationError(`${this.#what}: ${formatPath(path)}: ${message}`, { path: [...path] });
  }
}

/** Names of members as they are written, each with its colon: those of records are few, and come thousands of times. */
const NAMES = new Map<string, string>();
const MAX_NAMES = 1_000;

function nameOf(key: string): string {
  const known = NAMES.get(key);
  if (known !== undefined) return known;
  const made = `${JSON.stringify(key)}:`;
  if (NAMES.size < MAX_NAMES) NAMES.set(key, made);
  return made;
}
