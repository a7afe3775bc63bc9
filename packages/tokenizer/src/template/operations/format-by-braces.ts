import { characterOf } from "../printing/format-by-percent.js";
import { formatFloat, formatWhole, pad } from "../printing/format-number.js";
import { printFloat } from "../printing/print-float.js";
import { asciiSourceOf, sourceOf, textOf } from "../printing/print-value.js";
import { characterOffsets } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { concatTexts, isText, plain, sliceText, type TextValue } from "../values/text.js";
import { type CallArguments, Float, numberOf, typeName, type Value } from "../values/values.js";
import { itemOf, memberOf } from "./members.js";

const MAX_WIDTH = 100_000;
const SPECIFICATION = /^(?:(.)?([<>=^]))?([+\- ]?)(#?)(0?)(\d*)([,_]?)(?:\.(\d+))?([a-zA-Z%]?)$/su;

/**
 * Fills a text by Python's `str.format`: names and places, attributes and items, `!r` and `!s`, and format
 * specifications but for nested ones.
 */
export function formatByBraces(format: TextValue, given: CallArguments, run: Run): TextValue {
  const source = plain(format);
  run.budget.scan(source, "format");
  const parts: TextValue[] = [];
  let done = 0;
  const numbering = new Numbering();
  for (let at = 0; at < source.length; ) {
    const character = source.charAt(at);
    if (character !== "{" && character !== "}") {
      at += 1;
      continue;
    }
    parts.push(sliceText(format, done, at));
    if (source.charAt(at + 1) === character) {
      parts.push(sliceText(format, at, at + 1));
      at += 2;
    } else {
      if (character === "}") throw new TemplateError("a format has a '}' of its own");
      const end = source.indexOf("}", at);
      const field = source.slice(at + 1, end);
      if (end === -1) throw new TemplateError("a format has a '{' of its own");
      if (field.includes("{")) throw unsupported("a format within a format");
      run.budget.spend(1, "format");
      const filled = fill(field, given, numbering, run);
      run.budget.allocate(32 + 2 * plain(filled).length, "format");
      parts.push(filled);
      at = end + 1;
    }
    done = at;
  }
  parts.push(sliceText(format, done, source.length));
  return concatTexts(parts);
}

/**
 * Numbers the fields of a format that are empty. Some of these and some that are a number and nothing more are an error;
 * a number with attributes or items behind it counts for neither, as in Python's `string.Formatter`.
 */
class Numbering {
  #next = 0;
  #isManual = false;

  /** @param path - the field's own number or name, with what follows it */
  pathFor(path: string): string {
    if (path !== "" && !/^\d+$/.test(path)) return path;
    if (path === "" ? this.#isManual : this.#next > 0)
      throw new TemplateError("a format has fields with numbers and fields without");
    this.#isManual = path !== "";
    if (path !== "") return path;
    this.#next += 1;
    return String(this.#next - 1);
  }
}

function fill(field: string, given: CallArguments, numbering: Numbering, run: Run): TextValue {
  const colon = field.indexOf(":");
  const [named, specification] = colon === -1 ? [field, ""] : [field.slice(0, colon), field.slice(colon + 1)];
  const mark = named.indexOf("!");
  const [path, conversion] = mark === -1 ? [named, ""] : [named.slice(0, mark), named.slice(mark + 1)];
  const value = valueAt(numbering.pathFor(path), given, run);
  if (conversion === "r") return specified(sourceOf(value, run), specification, run);
  if (conversion === "s") return specified(textOf(value, run), specification, run);
  if (conversion === "a") return specified(asciiSourceOf(value, run), specification, run);
  if (conversion !== "" || mark !== -1) throw unsupported(`'!${conversion}' in a format`);
  return specified(value, specification, run);
}

function valueAt(path: string, given: CallArguments, run: Run): Value {
  const name = /^[^.[]*/.exec(path)?.[0] ?? "";
  let value = /^\d+$/.test(name) ? given.positional[Number(name)] : given.keywords.get(name);
  if (value === undefined) throw new TemplateError(`a format names '${name}', which is not given`);
  let rest = path.slice(name.length);
  while (rest !== "") {
    const step = /^(?:\.([^.[]+)|\[([^\]]+)\])/.exec(rest);
    if (step === null) throw new TemplateError(`'${path}' in a format cannot be read`);
    const [whole, attribute, item = ""] = step;
    value =
      attribute === undefined
        ? itemOf(value, /^\d+$/.test(item) ? Number(item) : item, run)
        : memberOf(value, attribute, run);
    rest = rest.slice(whole.length);
  }
  return value;
}

function specified(value: Value, specification: string, run: Run): TextValue {
  if (specification === "") return textOf(value, run);
  const match = SPECIFICATION.exec(specification);
  if (match === null) throw new TemplateError(`'${specification}' is no format specification`);
  const [
    ,
    fillGiven,
    alignGiven,
    sign = "",
    isPrefixed,
    zero,
    widthGiven,
    group = "",
    precision,
    letter = "",
  ] = match;
  const width = Number(widthGiven ?? 0);
  if (width > MAX_WIDTH) throw new TemplateError("a format is too wide");
  run.budget.allocate(32 + 2 * width, "format");
  const fillWith = fillGiven ?? (zero === "0" ? "0" : " ");
  const number = numberOf(value);
  if (isText(value)) {
    if (
      (letter !== "" && letter !== "s") ||
      sign !== "" ||
      group !== "" ||
      isPrefixed !== "" ||
      alignGiven === "="
    ) {
      throw new TemplateError(`'${specification}' is no format of a text`);
    }
    const offsets = characterOffsets(plain(value));
    const shown =
      precision === undefined
        ? value
        : sliceText(value, 0, offsets[Number(precision)] ?? plain(value).length);
    return pad(shown, fillWith, alignGiven ?? "<", width);
  }
  if (number === undefined) throw new TemplateError(`a ${typeName(value)} has no format specification`);
  if (letter === "c") {
    if (sign !== "" || precision !== undefined || group !== "" || isPrefixed !== "")
      throw new TemplateError(`'${specification}' is no format of a character`);
    return pad(characterOf(value), fillWith, alignGiven ?? (zero === "0" ? "=" : ">"), width);
  }
  const digits = numberText(value, Math.abs(number), letter, precision, isPrefixed === "#");
  const grouped = group === "" ? digits : inGroups(digits, group, letter);
  const signed =
    number < 0 || Object.is(number, -0)
      ? `-${grouped}`
      : sign === "+" || sign === " "
        ? sign + grouped
        : grouped;
  if (group !== "" && zero === "0") throw unsupported("a format with groups and zeros");
  return pad(signed, fillWith, alignGiven ?? (zero === "0" ? "=" : ">"), width);
}

function numberText(
  value: Value,
  number: number,
  letter: string,
  precision: string | undefined,
  isPrefixed: boolean,
): string {
  const digits = precision === undefined ? 6 : Number(precision);
  const isFloat = value instanceof Float;
  if (!isFloat && (letter === "" || "dxXobn".includes(letter))) {
    if (precision !== undefined) throw new TemplateError("a whole number has no precision");
    return formatWhole(number, letter === "" || letter === "n" ? "d" : letter, isPrefixed);
  }
  if (letter === "%")
    return `${formatFloat(number * 100, { letter: "f", precision: digits, isAlternate: isPrefixed })}%`;
  if (letter === "n") return formatFloat(number, { letter: "g", precision: digits, isAlternate: isPrefixed });
  if (letter !== "" && "fFeEgG".includes(letter))
    return formatFloat(number, { letter, precision: digits, isAlternate: isPrefixed });
  if (letter === "" && isPrefixed) throw unsupported("'#' in the format of a float");
  if (letter === "" && precision === undefined) return printFloat(number);
  if (letter === "") return formatFloat(number, { letter: "g", precision: digits, hasFraction: true });
  throw new TemplateError(`'${letter}' is no format of a ${typeName(value)}`);
}

function inGroups(digits: string, separator: string, letter: string): string {
  if ((letter !== "" && !"dfF".includes(letter)) || /[^\d.]/.test(digits))
    throw unsupported("groups of digits in this format");
  const [integer = "", fraction] = digits.split(".");
  const groups: string[] = [];
  for (let end = integer.length; end > 0; end -= 3) groups.unshift(integer.slice(Math.max(0, end - 3), end));
  return groups.join(separator) + (fraction === undefined ? "" : `.${fraction}`);
}
