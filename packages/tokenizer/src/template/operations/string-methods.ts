import { pad } from "../printing/format-number.js";
import { textArgument, wholeArgument } from "../values/arguments.js";
import { iterate } from "../values/iterate.js";
import {
  characterCount,
  characterOffsets,
  lineRanges,
  type Stripped,
  stripRange,
} from "../values/python-text.js";
import { bind, bindByPlace, type Run } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { convertText, isText, plain, sliceText, type TextValue } from "../values/text.js";
import { type CallArguments, Dict, NONE, Tuple, type Value } from "../values/values.js";
import { FINDING_METHODS } from "./find-in-text.js";
import { formatByBraces } from "./format-by-braces.js";
import { capitalize, foldCase, swapCase, titled } from "./letter-case.js";
import type { Method } from "./members.js";
import { isTrue } from "./operators.js";
import { splitRanges, splitRangesFromEnd, wordRanges, wordRangesFromEnd } from "./split-text.js";
import { CLASS_METHODS } from "./string-classes.js";

type TextMethod = Method<TextValue>;

function piecesOf(text: TextValue, ranges: readonly Stripped[], construct: string, run: Run): TextValue[] {
  run.budget.allocate(48 + 96 * ranges.length, construct);
  run.budget.spend(ranges.length, construct);
  return ranges.map(({ start, end }) => sliceText(text, start, end));
}

function strip(name: string, sides: { readonly hasLeft: boolean; readonly hasRight: boolean }): TextMethod {
  return (self, given, run) => {
    const { chars = NONE } = bindByPlace(name, given, ["chars"]);
    return stripText(self, chars, sides, name, run);
  };
}

/** A text without the characters of a set at its ends; without white space where the set is None. */
export function stripText(
  text: TextValue,
  characters: Value,
  sides: { readonly hasLeft: boolean; readonly hasRight: boolean },
  name: string,
  run: Run,
): TextValue {
  run.budget.scan(plain(text), name);
  const set = characters === NONE ? undefined : plain(textArgument(name, characters));
  const { start, end } = stripRange(plain(text), sides, set);
  return sliceText(text, start, end);
}

function split(name: string, isFromEnd: boolean): TextMethod {
  return (self, given, run) => {
    const { sep = NONE, maxsplit } = bind(name, given, ["sep", "maxsplit"]);
    const most = wholeArgument(name, maxsplit, -1);
    const text = plain(self);
    run.budget.scan(text, name);
    if (sep === NONE) {
      return piecesOf(self, isFromEnd ? wordRangesFromEnd(text, most) : wordRanges(text, most), name, run);
    }
    const separator = plain(textArgument(name, sep));
    if (separator === "") throw new TemplateError(`'${name}' needs a separator that is not empty`);
    return piecesOf(self, (isFromEnd ? splitRangesFromEnd : splitRanges)(text, separator, most), name, run);
  };
}

/** `replace(old, new, count)`; any number of times where the count is below zero. */
export function replaceText(
  text: TextValue,
  wanted: TextValue,
  replacement: TextValue,
  count: number,
  run: Run,
): TextValue {
  run.budget.scan(plain(text), "replace");
  if (plain(wanted) === "") return between(text, replacement, count, run);
  if (typeof text === "string" && typeof replacement === "string" && count < 0) {
    const found = occurrences(text, plain(wanted));
    run.budget.spend(found, "replace");
    const growth = plain(replacement).length - plain(wanted).length;
    run.budget.allocate(64 + 2 * (text.length + growth * found), "replace");
    return text.replaceAll(plain(wanted), () => replacement);
  }
  const pieces = piecesOf(text, splitRanges(plain(text), plain(wanted), count), "replace", run);
  return run.join(
    pieces.flatMap((piece, index) => (index === 0 ? [piece] : [replacement, piece])),
    "replace",
  );
}

/** Puts a text before each character and behind the last one, which `replace` does with nothing to look for. */
function between(text: TextValue, inserted: TextValue, count: number, run: Run): TextValue {
  const offsets = characterOffsets(plain(text));
  const most = count < 0 ? offsets.length : Math.min(count, offsets.length);
  run.budget.allocate(48 + 112 * offsets.length, "replace");
  const parts = offsets.flatMap((start, index) => {
    const next = sliceText(text, start, offsets[index + 1] ?? start);
    return index < most ? [inserted, next] : [next];
  });
  return run.join(parts, "replace");
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

function partition(name: string, isLast: boolean): TextMethod {
  return (self, given, run) => {
    const separator = plain(textArgument(name, bindByPlace(name, given, ["sep"], 1).sep));
    const text = plain(self);
    run.budget.scan(text, name);
    if (separator === "") throw new TemplateError(`'${name}' needs a separator that is not empty`);
    const at = isLast ? text.lastIndexOf(separator) : text.indexOf(separator);
    if (at === -1) return new Tuple(isLast ? ["", "", self] : [self, "", ""]);
    const after = at + separator.length;
    return new Tuple([
      sliceText(self, 0, at),
      sliceText(self, at, after),
      sliceText(self, after, text.length),
    ]);
  };
}

function padding(name: string, align: string): TextMethod {
  return (self, given, run) => {
    const { width, fillchar = " " } = bindByPlace(name, given, ["width", "fillchar"], 1);
    return padText(
      self,
      wholeArgument(name, width, 0),
      plain(textArgument(name, fillchar)),
      align,
      name,
      run,
    );
  };
}

/** A text made as wide as wanted. */
export function padText(
  text: TextValue,
  width: number,
  fill: string,
  align: string,
  name: string,
  run: Run,
): TextValue {
  if (characterCount(fill) !== 1) throw new TemplateError(`'${name}' fills with one character`);
  run.budget.scan(plain(text), name);
  run.budget.allocate(48 + 4 * Math.max(0, width), name);
  if (align !== "^") return pad(text, fill, align, width);
  const missing = width - characterCount(plain(text));
  // Python puts the odd one to the left where the width is odd, which format specifications do not.
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return missing <= 0 ? text : run.join([fill.repeat(left), text, fill.repeat(missing - left)], name);
}

/** A text in other letters. */
export function convertCase(
  text: TextValue,
  convert: (value: string) => string,
  name: string,
  run: Run,
): TextValue {
  run.budget.scan(plain(text), name);
  run.budget.allocate(48 + 2 * plain(text).length, name);
  return convertText(text, convert);
}

function conversion(name: string, convert: (value: string) => string): TextMethod {
  return (self, given, run) => {
    bindByPlace(name, given, []);
    return convertCase(self, convert, name, run);
  };
}

/** Puts spaces in the place of tabs, up to the next column that is a multiple. */
function expandTabs(self: TextValue, given: CallArguments, run: Run): TextValue {
  const size = wholeArgument("expandtabs", bind("expandtabs", given, ["tabsize"]).tabsize, 8);
  const text = plain(self);
  run.budget.scan(text, "expandtabs");
  const parts: TextValue[] = [];
  let [done, column] = [0, 0];
  let at = 0;
  for (const character of text) {
    if (character === "\t") {
      const spaces = size > 0 ? size - (column % size) : 0;
      run.budget.allocate(64 + 2 * spaces, "expandtabs");
      parts.push(sliceText(self, done, at), " ".repeat(spaces));
      done = at + 1;
      column += spaces;
    } else column = character === "\n" || character === "\r" ? 0 : column + 1;
    at += character.length;
  }
  parts.push(sliceText(self, done, text.length));
  return run.join(parts, "expandtabs");
}

function join(self: TextValue, given: CallArguments, run: Run): TextValue {
  const { iterable = NONE } = bindByPlace("join", given, ["iterable"], 1);
  const parts: TextValue[] = [];
  for (const item of iterate(iterable, run.budget, "join")) {
    run.budget.allocate(16, "join");
    if (parts.length > 0) parts.push(self);
    parts.push(textArgument("join", item));
  }
  return run.join(parts, "join");
}

/** The methods of texts, as Python's `str` has them, but for a few without use. */
export const STRING_METHODS: ReadonlyMap<string, TextMethod> = new Map<string, TextMethod>([
  ["strip", strip("strip", { hasLeft: true, hasRight: true })],
  ["lstrip", strip("lstrip", { hasLeft: true, hasRight: false })],
  ["rstrip", strip("rstrip", { hasLeft: false, hasRight: true })],
  ["split", split("split", false)],
  ["rsplit", split("rsplit", true)],
  [
    "splitlines",
    (self, given, run) => {
      const { keepends = false } = bind("splitlines", given, ["keepends"]);
      run.budget.scan(plain(self), "splitlines");
      return piecesOf(self, lineRanges(plain(self), isTrue(keepends)), "splitlines", run);
    },
  ],
  ...FINDING_METHODS,
  [
    "removeprefix",
    (self, given) => {
      const prefix = plain(
        textArgument("removeprefix", bindByPlace("removeprefix", given, ["prefix"], 1).prefix),
      );
      return plain(self).startsWith(prefix) ? sliceText(self, prefix.length, plain(self).length) : self;
    },
  ],
  [
    "removesuffix",
    (self, given) => {
      const suffix = plain(
        textArgument("removesuffix", bindByPlace("removesuffix", given, ["suffix"], 1).suffix),
      );
      return plain(self).endsWith(suffix) ? sliceText(self, 0, plain(self).length - suffix.length) : self;
    },
  ],
  [
    "replace",
    (self, given, run) => {
      const { old, new: replacement, count } = bindByPlace("replace", given, ["old", "new", "count"], 2);
      const most = wholeArgument("replace", count, -1);
      return replaceText(self, textArgument("replace", old), textArgument("replace", replacement), most, run);
    },
  ],
  ["partition", partition("partition", false)],
  ["rpartition", partition("rpartition", true)],
  ["join", join],
  ["ljust", padding("ljust", "<")],
  ["rjust", padding("rjust", ">")],
  ["center", padding("center", "^")],
  [
    "zfill",
    (self, given, run) => {
      const width = wholeArgument("zfill", bindByPlace("zfill", given, ["width"], 1).width, 0);
      return padText(self, width, "0", "=", "zfill", run);
    },
  ],
  ["upper", conversion("upper", (value) => value.toUpperCase())],
  ["lower", conversion("lower", (value) => value.toLowerCase())],
  ["capitalize", conversion("capitalize", capitalize)],
  ["title", conversion("title", titled)],
  ["swapcase", conversion("swapcase", swapCase)],
  ["casefold", conversion("casefold", foldCase)],
  ["expandtabs", expandTabs],
  ["format", (self, given, run) => formatByBraces(self, given, run)],
  [
    "format_map",
    (self, given, run) => {
      const { mapping } = bindByPlace("format_map", given, ["mapping"], 1);
      const keywords = new Map<string, Value>();
      const entries = mapping instanceof Dict ? mapping.entriesInAnyOrder() : [];
      for (const [key, value] of entries) if (isText(key)) keywords.set(plain(key), value);
      return formatByBraces(self, { positional: [], keywords }, run);
    },
  ],
  ...CLASS_METHODS,
]);
