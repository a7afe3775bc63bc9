import { characterCount, characterOffsets } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { concatTexts, isText, plain, sliceText, type TextValue } from "../values/text.js";
import {
  Dict,
  isInteger,
  isList,
  numberOf,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import { formatFloat, formatWhole, pad } from "./format-number.js";
import { asciiSourceOf, sourceOf, textOf } from "./print-value.js";

/** One `%…` of a format: its name, flags, width, precision and letter. */
const CONVERSION = /%(?:\(([^()]*)\))?([-#0 +]*)((?:[1-9]\d*)?|\*)(?:\.(\d*|\*))?([hlL]?)(.?)/suy;
const MAX_WIDTH = 100_000;

/**
 * Fills a format by Python's `%`: the letters s, r, a, d, i, u, f, F, x, X, o, c and %.
 * @throws TemplateError when values are missing or left, or do not fit.
 */
export function formatByPercent(format: TextValue, value: Value, run: Run): TextValue {
  const source = plain(format);
  run.budget.scan(source, "%");
  const values = value instanceof Tuple ? value.items : [value];
  const parts: TextValue[] = [];
  let used = 0;
  let done = 0;
  let isNamed = false;
  const next = (): Value => {
    const found = values[used];
    used += 1;
    if (found === undefined) throw new TemplateError("'%' has too few values for its format");
    return found;
  };
  for (let at = source.indexOf("%"); at !== -1; at = source.indexOf("%", done)) {
    parts.push(sliceText(format, done, at));
    CONVERSION.lastIndex = at;
    const [whole = "", name, flags = "", width = "", precision, , letter = ""] =
      CONVERSION.exec(source) ?? [];
    done = at + whole.length;
    if (whole === "%%") {
      parts.push("%");
      continue;
    }
    if (width === "*" || precision === "*") throw unsupported("'*' in a format");
    if (Number(width) > MAX_WIDTH || Number(precision ?? 0) > MAX_WIDTH)
      throw new TemplateError("a format is too wide");
    isNamed ||= name !== undefined;
    const converted = name === undefined ? next() : byName(value, name);
    run.budget.allocate(32 + 2 * Number(width), "%");
    parts.push(convert(converted, letter, { flags, width: Number(width), precision }, run));
  }
  parts.push(sliceText(format, done, source.length));
  if (!isNamed && used < values.length && !hasItems(value)) {
    throw new TemplateError("'%' has more values than its format takes");
  }
  return concatTexts(parts);
}

/** Says whether a value is asked for items by key or place, which Python takes for one that names its values. */
function hasItems(value: Value): boolean {
  return [Dict, Range, Undefined].some((type) => value instanceof type) || isList(value);
}

function byName(value: Value, name: string): Value {
  if (!(value instanceof Dict)) throw new TemplateError("a format with names needs a dictionary");
  const found = value.get(name);
  if (found === undefined) throw new TemplateError(`a format names '${name}', which the dictionary lacks`);
  return found;
}

interface Conversion {
  readonly flags: string;
  readonly width: number;
  readonly precision: string | undefined;
}

function convert(value: Value, letter: string, { flags, width, precision }: Conversion, run: Run): TextValue {
  const align = flags.includes("-") ? "<" : ">";
  if (letter === "s" || letter === "r" || letter === "a") {
    const text =
      letter === "s" ? textOf(value, run) : letter === "r" ? sourceOf(value, run) : asciiSourceOf(value, run);
    return pad(precision === undefined ? text : firstCharacters(text, Number(precision)), " ", align, width);
  }
  if (letter === "c") {
    if (isText(value) && characterCount(plain(value)) === 1) return pad(value, " ", align, width);
    return pad(characterOf(value), " ", align, width);
  }
  const number = numberOf(value);
  if (number === undefined) throw new TemplateError(`'%${letter}' needs a number, got a ${typeName(value)}`);
  const sign = flags.includes("+") ? "+" : flags.includes(" ") ? " " : "-";
  const digits = digitsOf(value, number, letter, precision, flags.includes("#"));
  const isNegative = "diu".includes(letter) ? Math.trunc(number) < 0 : number < 0 || Object.is(number, -0);
  const shown = isNegative ? `-${digits}` : sign === "-" ? digits : sign + digits;
  const isZeroed = flags.includes("0") && align === ">";
  return pad(shown, isZeroed ? "0" : " ", isZeroed ? "=" : align, width);
}

function digitsOf(
  value: Value,
  number: number,
  letter: string,
  precision: string | undefined,
  isPrefixed: boolean,
): string {
  switch (letter) {
    case "d":
    case "i":
    case "u":
      if (!Number.isFinite(number)) throw new TemplateError(`'%${letter}' needs a finite number`);
      return formatWhole(Math.abs(Math.trunc(number)), "d", false, Number(precision ?? 0));
    case "x":
    case "X":
    case "o":
      if (!isInteger(value))
        throw new TemplateError(`'%${letter}' needs a whole number, got a ${typeName(value)}`);
      return formatWhole(Math.abs(number), letter, isPrefixed, Number(precision ?? 0));
    case "f":
    case "F":
    case "e":
    case "E":
    case "g":
    case "G":
      return formatFloat(Math.abs(number), {
        letter,
        precision: precision === undefined ? 6 : Number(precision),
        isAlternate: isPrefixed,
      });
    default:
      throw new TemplateError(`'%${letter}' is no format`);
  }
}

/** The character of a number, for the letter c. */
export function characterOf(value: Value): string {
  if (!isInteger(value)) throw new TemplateError(`a character needs its number, got a ${typeName(value)}`);
  const number = Number(value);
  if (number < 0 || number > 0x10ffff) throw new TemplateError(`there is no character ${number}`);
  if (number >= 0xd800 && number <= 0xdfff) throw unsupported("half of a surrogate pair");
  return String.fromCodePoint(number);
}

function firstCharacters(text: TextValue, count: number): TextValue {
  const offsets = characterOffsets(plain(text));
  return sliceText(text, 0, offsets[count] ?? plain(text).length);
}
