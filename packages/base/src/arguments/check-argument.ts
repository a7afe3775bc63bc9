import { ValidationError } from "../errors/api-errors.js";
import { nameOfSameWords } from "../text/name-of-same-words.js";
import { nearestName } from "../text/nearest-name.js";
import { describeKind, describeValue } from "./describe-value.js";

/** Makes the error of an argument of the wrong kind. */
function wrongKind(what: string, wanted: string, value: unknown): ValidationError {
  const got = typeof value === "string" ? "a string" : describeValue(value);
  return new ValidationError(`${what} must be ${wanted}, got ${got}`, { path: [what] });
}

/**
 * Checks that an argument is a string, which plain JavaScript may leave out or pass otherwise.
 *
 * @param what - the argument as its caller knows it, e.g. `getRenderer: name`
 * @param example - a value that would do
 * @throws ValidationError
 */
export function checkString(value: unknown, what: string, example?: string): asserts value is string {
  if (typeof value === "string") return;
  throw wrongKind(what, example === undefined ? "a string" : `a string, e.g. "${example}"`, value);
}

/**
 * Checks that an argument is an object with named fields.
 *
 * @param example - a value that would do, as one writes it
 * @throws ValidationError
 */
export function checkObject(value: unknown, what: string, example?: string): asserts value is object {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Promise)) {
    return;
  }
  throw wrongKind(what, example === undefined ? "an object" : `an object, e.g. ${example}`, value);
}

/** Checks that an argument is an array. @throws ValidationError */
export function checkArray(value: unknown, what: string): asserts value is readonly unknown[] {
  if (Array.isArray(value)) return;
  throw wrongKind(what, "an array", value);
}

/** Checks that an argument is an array or a typed array of numbers. @throws ValidationError */
export function checkNumberList(value: unknown, what: string): asserts value is ArrayLike<number | bigint> {
  if (Array.isArray(value)) return;
  // A DataView has no length. Asked so, as one of another realm is no instance of the class of this one.
  if (!ArrayBuffer.isView(value) || !("length" in value)) {
    throw wrongKind(what, "an array or a typed array of numbers", value);
  }
  checkAttached(value, what);
}

/** Checks that an argument is bytes that are still there. @throws ValidationError */
export function checkBytes(value: unknown, what: string): asserts value is Uint8Array {
  if (!(value instanceof Uint8Array)) throw wrongKind(what, "a Uint8Array", value);
  checkAttached(value, what);
}

/** Checks that an argument is a function. @throws ValidationError */
export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== "function") throw wrongKind(what, "a function", value);
}

/** Words for a typed array whose memory is gone, whichever way: an engine may not tell one from the other. */
export const DETACHED =
  "is a typed array whose memory was transferred to another thread or resized; copy it before";

/** Checks that memory was neither given away to another thread nor taken back, after which it reads as empty. */
function checkAttached(view: ArrayBufferView, what: string): void {
  if (isDetached(view)) throw new ValidationError(`${what} ${DETACHED}`, { path: [what] });
}

/**
 * Tells whether the memory of a typed array is gone: given away to another thread, or taken back by resizing. Its
 * length is 0 then, and using it throws.
 */
export function isDetached(view: ArrayBufferView): boolean {
  // The length of a view of bytes throws by itself.
  if (!("length" in view) || view.byteLength > 0) return false;
  try {
    // Refuses such memory in every engine; the property `detached` is younger than Node 20, and knows nothing of resizing.
    (view as Uint8Array).values();
    return false;
  } catch {
    return true;
  }
}

/** Beginning of the message about a misspelt field. */
export const UNKNOWN_FIELD = "unknown field";

/**
 * Describes names that nobody reads, each with the one that was probably meant.
 *
 * @param elsewhere - fields that belong to a neighbouring object, each with its place, e.g. `in sampling_params`
 */
export function unknownNames(
  unknown: readonly string[],
  known: readonly string[],
  elsewhere: Readonly<Record<string, string>> = {},
): string {
  return unknown
    .map((name) => {
      const shown = `${UNKNOWN_FIELD} "${name}"`;
      if (Object.hasOwn(elsewhere, name)) return `${shown}: it belongs ${elsewhere[name]}`;
      for (const meantBy of [nearestName, nameOfSameWords]) {
        const meant = meantBy(name, known);
        if (meant !== undefined) return `${shown}, did you mean "${meant}"?`;
        const other = meantBy(name, Object.keys(elsewhere));
        if (other !== undefined) return `${shown}, did you mean "${other}"? It belongs ${elsewhere[other]}`;
      }
      return `${shown} (known: ${known.join(", ") || "none"})`;
    })
    .join("; ");
}

/**
 * Refuses an object with a field that nobody reads, for objects that no schema checks: options, and examples whose tensors
 * are still to be cast.
 *
 * @param known - every name that is read; a record, so that the compiler sees when one is missing
 * @param what - what the caller knows the object by, e.g. `data[3]`
 * @param elsewhere - fields that are right in another place, for the message
 * @throws ValidationError naming the field and the one that was probably meant, and for what is no object
 */
export function checkKnownNames<Value extends object>(
  value: Value,
  known: Readonly<Record<keyof Value & string, true>>,
  what: string,
  elsewhere?: Readonly<Record<string, string>>,
): void {
  // Neither an empty array nor a promise has a name that is unknown.
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Promise) {
    throw new ValidationError(`${what} must be an object, got ${describeKind(value)}`, {
      path: [what],
    });
  }
  // Lists are made only where there is something to say: this runs for every tensor of a batch.
  for (const name in value) {
    if (Object.hasOwn(known, name)) continue;
    const unknown: string[] = [];
    for (const other in value) if (!Object.hasOwn(known, other)) unknown.push(other);
    throw new ValidationError(`${what}: ${unknownNames(unknown, Object.keys(known), elsewhere)}`, {
      path: [what, name],
    });
  }
}

/**
 * Refuses a limit of time that cannot be kept.
 *
 * @throws ValidationError for a limit that is negative or not a number
 */
export function checkTimeoutMs(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs >= 0)) return;
  throw new ValidationError(`timeoutMs must be 0 or more milliseconds, got ${describeValue(timeoutMs)}`, {
    path: ["timeoutMs"],
  });
}

/** Tells whether a list holds nothing but integers of 32 bits. Eight at a time: prompts and batches are checked by it whole. */
export function holdsInt32(list: readonly unknown[]): list is readonly number[] {
  const { length } = list;
  let index = 0;
  for (; index + 7 < length; index += 8) {
    const a = list[index];
    const b = list[index + 1];
    const c = list[index + 2];
    const d = list[index + 3];
    const e = list[index + 4];
    const f = list[index + 5];
    const g = list[index + 6];
    const h = list[index + 7];
    if (typeof a !== "number" || typeof b !== "number" || typeof c !== "number") return false;
    if (typeof d !== "number" || typeof e !== "number" || typeof f !== "number") return false;
    if (typeof g !== "number" || typeof h !== "number") return false;
    if ((a | 0) !== a || (b | 0) !== b || (c | 0) !== c || (d | 0) !== d) return false;
    if ((e | 0) !== e || (f | 0) !== f || (g | 0) !== g || (h | 0) !== h) return false;
  }
  for (; index < length; index += 1) {
    const value = list[index];
    if (typeof value !== "number" || (value | 0) !== value) return false;
  }
  return true;
}
