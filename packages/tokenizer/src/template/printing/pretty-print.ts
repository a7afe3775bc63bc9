import { characterCount, compareTexts, isWhiteSpace, lineRanges } from "../values/python-text.js";
import type { Run } from "../values/run.js";
import { unsupported } from "../values/template-error.js";
import { isText, plain, sliceText, type TextValue } from "../values/text.js";
import { Dict, isList, Tuple, type Value } from "../values/values.js";
import { sourceOf } from "./print-value.js";

/** The most columns of a line, which Python's `pprint` has by default. */
const MAX_COLUMNS = 80;

/** A value as Python's `pprint` writes it: dictionaries in the order of their keys, and what is wide on several lines. */
export function prettyPrint(value: Value, run: Run): TextValue {
  const parts: TextValue[] = [];
  new PrettyPrinter(parts, run).print(inOrder(value, run), 0, 0, 0);
  return run.join(parts, "pprint");
}

/** The same value with the entries of each dictionary in the order of its keys. */
function inOrder(value: Value, run: Run): Value {
  run.budget.spend(1, "pprint");
  run.budget.allocate(128, "pprint");
  if (isList(value)) return value.map((item) => inOrder(item, run));
  // Groups of groupby have names for their items, and are written as any other value.
  if (value instanceof Tuple && value.names.length === 0)
    return new Tuple(value.items.map((item) => inOrder(item, run)));
  if (!(value instanceof Dict)) return value;
  const entries = [...value.entriesInAnyOrder()].map(([key, item]) => ({ key, item: inOrder(item, run) }));
  const isOfNumbers = entries.every(({ key }) => typeof key === "number");
  if (!isOfNumbers && entries.some(({ key }) => !isText(key)))
    throw unsupported("'pprint' of a dictionary with keys that are not all texts or all whole numbers");
  run.budget.spend(entries.length * Math.log2(entries.length + 1), "pprint");
  entries.sort((left, right) =>
    isText(left.key) && isText(right.key)
      ? compareTexts(plain(left.key), plain(right.key))
      : Number(left.key) - Number(right.key),
  );
  return new Dict(entries.map(({ key, item }) => [key, item]));
}

class PrettyPrinter {
  readonly #parts: TextValue[];
  readonly #run: Run;

  constructor(parts: TextValue[], run: Run) {
    this.#parts = parts;
    this.#run = run;
  }

  /**
   * Writes a value on as few lines as it goes on.
   *
   * @param allowance - columns to keep free behind it
   * @param level - number of values around it
   */
  print(value: Value, indent: number, allowance: number, level: number): void {
    const source = sourceOf(value, this.#run);
    if (characterCount(plain(source)) <= MAX_COLUMNS - indent - allowance) this.#parts.push(source);
    else if (value instanceof Dict) this.#dictionary(value, indent, allowance + 1, level + 1);
    else if (isList(value)) this.#items("[", value, "]", indent, allowance, level + 1);
    else if (value instanceof Tuple && value.names.length === 0)
      this.#items("(", value.items, value.items.length === 1 ? ",)" : ")", indent, allowance, level + 1);
    else if (isText(value) && plain(value) !== "") this.#text(value, indent, allowance, level === 0);
    else this.#parts.push(source);
  }

  #dictionary(dict: Dict, outer: number, allowance: number, level: number): void {
    const indent = outer + 1;
    let left = dict.size;
    this.#parts.push("{");
    for (const [key, value] of dict.entries()) {
      const source = sourceOf(key, this.#run);
      this.#parts.push(source, ": ");
      left -= 1;
      const column = indent + characterCount(plain(source)) + 2;
      this.print(value, column, left === 0 ? allowance : 1, level);
      if (left > 0) this.#breakLine(",", indent);
    }
    this.#parts.push("}");
  }

  #items(
    opening: string,
    items: readonly Value[],
    closing: string,
    outer: number,
    allowance: number,
    level: number,
  ): void {
    this.#parts.push(opening);
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#breakLine(",", outer + 1);
      const isLast = index === items.length - 1;
      this.print(item, outer + 1, isLast ? allowance + closing.length : 1, level);
    }
    this.#parts.push(closing);
  }

  /** Writes a text in pieces, one a line, between parentheses where nothing is around it. */
  #text(text: TextValue, outer: number, outerAllowance: number, isAlone: boolean): void {
    const [indent, allowance] = isAlone ? [outer + 1, outerAllowance + 1] : [outer, outerAllowance];
    const pieces = this.#piecesOf(text, MAX_COLUMNS - indent, allowance);
    if (pieces.length > 1 && isAlone) this.#parts.push("(");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) this.#breakLine("", indent);
      this.#parts.push(piece);
    }
    if (pieces.length > 1 && isAlone) this.#parts.push(")");
  }

  #piecesOf(text: TextValue, columns: number, allowance: number): TextValue[] {
    const pieces: TextValue[] = [];
    const lines = lineRanges(plain(text), true);
    const write = (start: number, end: number) => sourceOf(sliceText(text, start, end), this.#run);
    for (const [index, { start, end }] of lines.entries()) {
      const isLastLine = index === lines.length - 1;
      const whole = write(start, end);
      if (characterCount(plain(whole)) <= columns - (isLastLine ? allowance : 0)) {
        pieces.push(whole);
        continue;
      }
      let from = start;
      const words = endsOfWords(plain(text), start, end);
      for (const [place, to] of words.entries()) {
        const room = columns - (isLastLine && place === words.length - 1 ? allowance : 0);
        if (characterCount(plain(write(from, to))) <= room) continue;
        const before = words[place - 1] ?? start;
        if (before > from) pieces.push(write(from, before));
        from = Math.max(from, before);
      }
      if (from < end) pieces.push(write(from, end));
    }
    return pieces;
  }

  #breakLine(before: string, indent: number): void {
    this.#run.budget.allocate(48 + indent, "pprint");
    this.#parts.push(`${before}\n${" ".repeat(indent)}`);
  }
}

/** The ends of the words of a line, each with the white space behind it. */
function endsOfWords(text: string, start: number, end: number): number[] {
  const ends: number[] = [];
  for (let at = start + 1; at <= end; at += 1) {
    const isEnd = at === end || (isWhiteSpace(text.charCodeAt(at - 1)) && !isWhiteSpace(text.charCodeAt(at)));
    if (isEnd) ends.push(at);
  }
  return ends;
}
