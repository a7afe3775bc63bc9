import type { Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { concatTexts, isText, mapText, plain, type TextValue } from "../values/text.js";
import {
  Attributed,
  BigWhole,
  Dict,
  DictView,
  Float,
  isList,
  Loop,
  Markup,
  Namespace,
  NONE,
  numberOf,
  Range,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "../values/values.js";
import { printFloat } from "./print-float.js";

const MAX_DEPTH = 200;
/** Steps that writing a value takes, beside its characters. */
const STEPS_PER_PART = 6;

/** A value as `{{ }}` prints it: Python's `str`. */
export function textOf(value: Value, run: Run): TextValue {
  if (isText(value)) return value;
  if (value instanceof Undefined) return "";
  if (value instanceof Markup) return value.text;
  const parts: TextValue[] = [];
  print(value, (part) => parts.push(part), run, 0);
  const [first = ""] = parts;
  return parts.length === 1 ? first : concatTexts(parts);
}

/** A value as Python's `repr` writes it, as within lists. */
export function sourceOf(value: Value, run: Run): TextValue {
  const parts: TextValue[] = [];
  print(value, (part) => parts.push(part), run, 0);
  return concatTexts(parts);
}

/** The same with ASCII characters alone, as Python's `ascii` writes it. */
export function asciiSourceOf(value: Value, run: Run): TextValue {
  const source = sourceOf(value, run);
  run.budget.allocate(48 + 20 * plain(source).length, "printing");
  return mapText(source, (piece) =>
    piece.replace(/[^\0-\x7F]/gu, (character) => numericEscape(character.codePointAt(0) ?? 0)),
  );
}

function print(value: Value, write: (part: TextValue) => void, run: Run, depth: number): void {
  if (depth > MAX_DEPTH) throw new TemplateError("a value that is printed is too deep");
  const part = scalar(value);
  if (part !== undefined) {
    run.budget.allocate(16 + 2 * plain(part).length, "printing");
    run.budget.spend(STEPS_PER_PART + plain(part).length / 4, "printing");
    write(part);
    return;
  }
  if (isList(value)) list("[", value, "]", write, run, depth);
  else if (value instanceof Tuple)
    list("(", value.items, value.items.length === 1 ? ",)" : ")", write, run, depth);
  else if (value instanceof DictView) {
    list(`${value.kind}([`, value.items, "])", write, run, depth);
  } else if (value instanceof Dict) {
    entries("{", value.entries(), "}", write, run, depth);
  } else if (value instanceof Namespace) {
    entries("<Namespace {", value.attributes.entries(), "}>", write, run, depth);
  } else throw unsupported(`printing a ${typeName(value)}`);
}

function scalar(value: Value): TextValue | undefined {
  if (value === NONE) return "None";
  if (isText(value)) return quote(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (value instanceof BigWhole) return String(value.value);
  if (value instanceof Float) return printFloat(value.value);
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Loop) return loopText(value);
  if (value instanceof Attributed) return value.text;
  if (value instanceof Range) {
    return `range(${value.start}, ${value.stop}${value.step === 1 ? "" : `, ${value.step}`})`;
  }
  return undefined;
}

function list(
  opening: string,
  items: readonly Value[],
  closing: string,
  write: (part: TextValue) => void,
  run: Run,
  depth: number,
): void {
  write(opening);
  for (const [index, item] of items.entries()) {
    run.budget.allocate(16, "printing");
    if (index > 0) write(", ");
    print(item, write, run, depth + 1);
  }
  write(closing);
}

function entries(
  opening: string,
  pairs: Iterable<readonly [Value, Value]>,
  closing: string,
  write: (part: TextValue) => void,
  run: Run,
  depth: number,
): void {
  write(opening);
  let isFirst = true;
  for (const [key, value] of pairs) {
    run.budget.allocate(32, "printing");
    if (!isFirst) write(", ");
    isFirst = false;
    print(key, write, run, depth + 1);
    write(": ");
    print(value, write, run, depth + 1);
  }
  write(closing);
}

function loopText(loop: Loop): string {
  const [index, length] = ["index", "length"].map((name) => numberOf(loop.attribute(name) ?? NONE) ?? 0);
  return `<LoopContext ${index}/${length}>`;
}

/** A string between quotes: single ones, unless they stand in it and double ones do not. */
function quote(text: TextValue): TextValue {
  const value = plain(text);
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  return concatTexts([mark, mapText(text, (piece) => escapePiece(piece, mark)), mark]);
}

function escapePiece(piece: string, mark: string): string {
  return piece.replace(/[\\'"\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/gu, (character) => {
    if (character === " ") return " ";
    if (character === "'" || character === '"') return character === mark ? `\\${character}` : character;
    return ESCAPES[character] ?? numericEscape(character.codePointAt(0) ?? 0);
  });
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function numericEscape(codePoint: number): string {
  const digits = codePoint.toString(16);
  if (codePoint <= 0xff) return `\\x${digits.padStart(2, "0")}`;
  return codePoint <= 0xffff ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
