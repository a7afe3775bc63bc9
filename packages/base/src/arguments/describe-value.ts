import { visibleText } from "../text/visible-text.js";

const MAX_SHOWN_CHARACTERS = 200;

/** Words for the result of a call that nobody has waited for, in place of what it will give. */
const PROMISE = "a promise: await it first";

/** Names the kind of a value for messages, never its content, which may be secret: `a string`, `null`, `an array`. */
export function describeKind(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return PROMISE;
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
      if (value === null || Array.isArray(value) || value instanceof Promise) return describeKind(value);
      return `an object${className(value)}`;
    default:
      return describeKind(value);
  }
}

/** Names the class of an object that is more than a plain one, in brackets. */
function className(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  return typeof name !== "string" || name === "Object" ? "" : ` (${visibleText(name)})`;
}
