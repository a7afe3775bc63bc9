import { TemplateError } from "./template-error.js";
import { isText, type TextValue } from "./text.js";
import { isInteger, NONE, typeName, Undefined, type Value } from "./values.js";

/** The argument of a method that must be a text. */
export function textArgument(what: string, value: Value | undefined): TextValue {
  if (value !== undefined && isText(value)) return value;
  if (value instanceof Undefined) throw new TemplateError(value.message);
  throw new TemplateError(`'${what}' needs a text, got a ${typeName(value ?? NONE)}`);
}

/** The argument of a method that must be a whole number. */
export function wholeArgument(what: string, value: Value | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (isInteger(value)) return Number(value);
  if (value instanceof Undefined) throw new TemplateError(value.message);
  throw new TemplateError(`'${what}' needs a whole number, got a ${typeName(value)}`);
}
