import { formatFloat, formatWhole, pad } from "../printing/format-number.js";
import { printFloat } from "../printing/print-float.js";
import { sourceOf, textOf } from "../printing/print-value.js";
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
  let automatic = 0;
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
      const filled = fill(
        field,
        given,
        () => {
          automatic += 1;
          return String(automatic - 1);
        },
        run,
      );
      run.budget.allocate(32 + 2 * plain(filled).length, "format");
      parts.push(filled);
      at = end + 1;
    }
    done = at;
  }
  parts.push(sliceText(format, done, source.length));
  return concatTexts(parts);
}

function fill(field: string, given: CallArguments, nextPlace: () => string, run: Run): TextValue {
  const colon = field.indexOf(":");
  const [named, specification] = colon === -1 ? [field, ""] : [field.slice(0, colon), field.slice(colon + 1)];
  const mark = named.indexOf("!");
  const [path, conversion] = mark === -1 ? [named, ""] : [named.slice(0, mark), named.slice(mark + 1)];
  const value = valueAt(path, given, nextPlace, run);
  if (conversion === "r") return specified(sourceOf(value, run), specification, run);
  if (conversion === "s") return specified(textOf(value, run), specification, run);
  if (conversion !== "" || mark !== -1) throw unsupported(`'!${conversion}' in a format`);
  return specified(value, specification, run);
}

function valueAt(path: string, given: CallArguments, nextPlace: () => string, run: Run): Value {
  const first = /^[^.[]*/.exec(path)?.[0] ?? "";
  const name = first === "" ? nextPlace() : first;
  let value = /^\d+$/.test(name) ? given.positional[Number(name)] : given.keywords.get(name);
  if (value === undefined) throw new TemplateError(`a format names '${name}', which is not given`);
  let rest = path.slice(first.length);
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
  if (number === undefined || typeof value === "boolean") {
    throw unsupported(`a format specification for a ${typeName(value)}`);
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
  if (!(value instanceof Float) && (letter === "" || "dxXob".includes(letter))) {
    if (precision !== undefined) throw new TemplateError("a whole number has no precision");
    return formatWhole(number, letter === "" ? "d" : letter, isPrefixed);
  }
  if (letter === "%") return `${formatFloat(number * 100, "f", digits)}%`;
  if (letter !== "" && "fFeEgG".includes(letter)) return formatFloat(number, letter, digits);
  if (letter === "" && precision === undefined) return printFloat(number);
  throw unsupported(`the format '${letter === "" ? `.${precision}` : letter}' of a ${typeName(value)}`);
}

function inGroups(digits: string, separator: string, letter: string): string {
  if ((letter !== "" && !"dfF".includes(letter)) || /[^\d.]/.test(digits))
    throw unsupported("groups of digits in this format");
  const [integer = "", fraction] = digits.split(".");
  const groups: string[] = [];
  for (let end = integer.length; end > 0; end -= 3) groups.unshift(integer.slice(Math.max(0, end - 3), end));
  return groups.join(separator) + (fraction === undefined ? "" : `.${fraction}`);
}
