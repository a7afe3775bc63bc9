import { ValidationError } from "../errors/api-errors.js";
import { visibleText } from "../text/visible-text.js";

const MAX_SHOWN_CHARACTERS = 200;

/** Names the kind of a value for messages, never its content, which may be secret: `a string`, `null`, `an array`. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/**
 * Shows a value in a message where a word or number was wanted: as given where that is short, else its kind or class. It never
 * calls a method of the value, which may be one without any.
 */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return visibleText(JSON.stringify(value.slice(0, MAX_SHOWN_CHARACTERS)));
    case "number":
    case "boolean":
      return String(value);
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null || Array.isArray(value) ? describeKind(value) : `an object${className(value)}`;
    default:
      return describeKind(value);
  }
}

/** Names the class of an object that is more than a plain one, in brackets. */
function className(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name !== "string" || name === "Object" ? "" : ` (${visibleText(name)})`;
}

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
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
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
  if (!ArrayBuffer.isView(value) || value instanceof DataView) {
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

/** Words for a typed array whose memory is gone. */
export const DETACHED = "is a typed array whose memory was transferred to another thread; copy it before";

/** Checks that memory was not given away to another thread, after which it reads as empty. */
function checkAttached(view: ArrayBufferView, what: string): void {
  if (isDetached(view)) throw new ValidationError(`${what} ${DETACHED}`, { path: [what] });
}

/** Tells whether the memory of a typed array was given away to another thread. Its length is 0 then, and using it throws. */
export function isDetached(view: ArrayBufferView): boolean {
  if (view.byteLength > 0 || view.buffer.byteLength > 0) return false;
  try {
    // Refuses detached memory in every engine; the property `detached` is younger than Node 20.
    view.buffer.slice(0, 0);
    return false;
  } catch {
    return true;
  }
}
