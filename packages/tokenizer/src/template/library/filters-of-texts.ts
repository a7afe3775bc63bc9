import { capitalize } from "../operations/letter-case.js";
import { attributeAlone, sliceOf } from "../operations/members.js";
import { isTrue } from "../operations/operators.js";
import { convertCase, padText, replaceText, stripText } from "../operations/string-methods.js";
import { formatByPercent } from "../printing/format-by-percent.js";
import { prettyPrint } from "../printing/pretty-print.js";
import { textOf } from "../printing/print-value.js";
import { toJson } from "../printing/to-json.js";
import { textArgument, wholeArgument } from "../values/arguments.js";
import { isIterable, iterate, listOf } from "../values/iterate.js";
import { isWhiteSpace, lineRanges } from "../values/python-text.js";
import { bind, type Run } from "../values/run.js";
import { TemplateError, unsupported } from "../values/template-error.js";
import { isText, plain, sliceText, type TextValue } from "../values/text.js";
import { Dict, isInteger, isList, Markup, NONE, Tuple, type Value } from "../values/values.js";
import type { Filter } from "./filters.js";
import { lengthOf } from "./filters-of-lists.js";
import { wrapWords } from "./wrap-words.js";

/** Makes of a value what `soft_str` makes of it: a text as it is, the rest printed. */
function soft(value: Value, run: Run): TextValue {
  if (value instanceof Markup) throw unsupported("a filter of what 'safe' made");
  return textOf(value, run);
}

function cased(name: string, convert: (text: string) => string): Filter {
  return (value, given, run) => {
    bind(name, given, []);
    return convertCase(soft(value, run), convert, name, run);
  };
}

/** The filter's own rule: a word begins after white space, `-` or an opening bracket. */
function titled(text: string): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (at < text.length && !isWhiteSpace(text.charCodeAt(at)) && !"-({[<".includes(text.charAt(at)))
      continue;
    const word = text.slice(start, at);
    const [first = ""] = word;
    parts.push(first.toUpperCase(), word.slice(first.length).toLowerCase(), text.charAt(at));
    start = at + 1;
  }
  return parts.join("");
}

const trim: Filter = (value, given, run) => {
  const { chars = NONE } = bind("trim", given, ["chars"]);
  return stripText(soft(value, run), chars, { hasLeft: true, hasRight: true }, "trim", run);
};

const replace: Filter = (value, given, run) => {
  const { old = "", new: replacement = "", count } = bind("replace", given, ["old", "new", "count"], 2);
  const most = count === NONE ? -1 : wholeArgument("replace", count, -1);
  return replaceText(textOf(value, run), textOf(old, run), textOf(replacement, run), most, run);
};

const indent: Filter = (value, given, run) => {
  const { width = 4, first = false, blank = false } = bind("indent", given, ["width", "first", "blank"]);
  const text = textArgument("indent", value);
  const count = isText(width) ? 0 : wholeArgument("indent", width, 4);
  run.budget.allocate(Math.max(0, count), "indent");
  const indentation = isText(width) ? width : " ".repeat(Math.max(0, count));
  run.budget.scan(plain(text), "indent");
  // The line break at the end is jinja2's own way to keep an empty last line.
  const whole = run.join([text, "\n"], "indent");
  const parts: TextValue[] = [];
  for (const [index, { start, end }] of lineRanges(plain(whole)).entries()) {
    run.budget.allocate(48, "indent");
    const isIndented = index === 0 ? isTrue(first) : isTrue(blank) || end > start;
    if (index > 0) parts.push("\n");
    if (isIndented) parts.push(indentation);
    parts.push(sliceText(whole, start, end));
  }
  return run.join(parts, "indent");
};

const truncate: Filter = (value, given, run) => {
  const {
    length,
    killwords = false,
    end = "...",
    leeway,
  } = bind("truncate", given, ["length", "killwords", "end", "leeway"]);
  const most = wholeArgument("truncate", length, 255);
  const ending = textArgument("truncate", end);
  const room = leeway === NONE ? 5 : wholeArgument("truncate", leeway, 5);
  const kept = most - lengthOf(ending, run);
  if (kept < 0 || room < 0) throw new TemplateError("'truncate' needs a length that the ending fits into");
  if (lengthOf(value, run) <= most + room) return value;
  const text = textArgument("truncate", value);
  const cut = sliceOf(text, [undefined, kept], run);
  if (!isText(cut)) return cut;
  const lastSpace = isTrue(killwords) ? -1 : plain(cut).lastIndexOf(" ");
  return run.join([lastSpace === -1 ? cut : sliceText(cut, 0, lastSpace), ending], "truncate");
};

const wordwrap: Filter = (value, given, run) => {
  const {
    width,
    break_long_words = true,
    wrapstring = NONE,
    break_on_hyphens = true,
  } = bind("wordwrap", given, ["width", "break_long_words", "wrapstring", "break_on_hyphens"]);
  const columns = wholeArgument("wordwrap", width, 79);
  const between = wrapstring === NONE ? "\n" : textArgument("wordwrap", wrapstring);
  const text = textArgument("wordwrap", value);
  if (columns <= 0 && plain(text) !== "") throw new TemplateError("'wordwrap' needs a width above 0");
  const lines = wrapWords(
    text,
    {
      width: columns,
      breaksLongWords: isTrue(break_long_words),
      splitsAtHyphens: break_on_hyphens === true,
      prefersHyphens: isTrue(break_on_hyphens),
    },
    run,
  );
  return joinWith(
    between,
    lines.map((parts) => joinWith(between, parts, run)),
    run,
  );
};

function joinWith(between: TextValue, parts: readonly TextValue[], run: Run): TextValue {
  return run.join(
    parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])),
    "wordwrap",
  );
}

const pprint: Filter = (value, given, run) => {
  bind("pprint", given, []);
  return prettyPrint(value, run);
};

const center: Filter = (value, given, run) => {
  const width = wholeArgument("center", bind("center", given, ["width"]).width, 80);
  return padText(soft(value, run), width, " ", "^", "center", run);
};

const format: Filter = (value, { positional, keywords }, run) => {
  if (positional.length > 0 && keywords.size > 0) {
    throw new TemplateError("'format' takes values by place or by name, got both");
  }
  const values: Value = keywords.size > 0 ? new Dict(keywords) : new Tuple(positional);
  return formatByPercent(soft(value, run), values, run);
};

const string: Filter = (value, given, run) => {
  bind("string", given, []);
  return value instanceof Markup ? value : textOf(value, run);
};

const wordcount: Filter = (value, given, run) => {
  bind("wordcount", given, []);
  const text = plain(soft(value, run));
  run.budget.scan(text, "wordcount");
  if (/[\p{No}\p{Nl}]/u.test(text)) throw unsupported("'wordcount' of a text with numbers other than digits");
  return text.match(/[\p{L}\p{Nd}_]+/gu)?.length ?? 0;
};

const urlencode: Filter = (value, given, run) => {
  bind("urlencode", given, []);
  if (isText(value) || !isIterable(value)) return urlQuoted(value, run);
  const pairs: Iterable<readonly Value[]> = value instanceof Dict ? value.entries() : pairsOf(value, run);
  return Array.from(pairs, (pair) =>
    pair.map((part) => urlQuoted(part, run).replaceAll("/", "%2F").replaceAll("%20", "+")).join("="),
  ).join("&");
};

function* pairsOf(value: Value, run: Run): Generator<readonly Value[]> {
  for (const item of iterate(value, run.budget, "urlencode")) {
    const pair = listOf(item, run.budget, "urlencode");
    if (pair.length !== 2) throw new TemplateError("'urlencode' needs pairs of a name and a value");
    yield pair;
  }
}

function urlQuoted(value: Value, run: Run): string {
  const text = plain(textOf(value, run));
  run.budget.allocate(48 + 12 * text.length, "urlencode");
  if (/\p{Surrogate}/u.test(text))
    throw new TemplateError("'urlencode' needs text without halves of surrogate pairs");
  return encodeURIComponent(text)
    .replaceAll("%2F", "/")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The most that a level of JSON may be indented by. */
const MAX_INDENT = 1_000;

const tojson: Filter = (value, given, run) => {
  const {
    ensure_ascii = false,
    indent: wanted = NONE,
    separators = NONE,
    sort_keys = false,
  } = bind("tojson", given, ["ensure_ascii", "indent", "separators", "sort_keys"]);
  const width = isInteger(wanted) ? Math.max(0, Number(wanted)) : 0;
  if (width > MAX_INDENT) throw unsupported(`an indentation by more than ${MAX_INDENT}`);
  const pair = separators instanceof Tuple ? separators.items : isList(separators) ? separators : undefined;
  const [item, key] = pair ?? [wanted === NONE ? ", " : ",", ": "];
  if (pair !== undefined && pair.length !== 2) throw new TemplateError("'tojson' needs two separators");
  if (wanted !== NONE && !isInteger(wanted) && !isText(wanted)) {
    throw new TemplateError("'tojson' is indented by a number or a text");
  }
  return toJson(
    value,
    {
      isAscii: isTrue(ensure_ascii),
      indent: wanted === NONE ? undefined : isText(wanted) ? plain(wanted) : " ".repeat(width),
      itemSeparator: textArgument("tojson", item),
      keySeparator: textArgument("tojson", key),
      sortsKeys: isTrue(sort_keys),
    },
    run,
  );
};

const attr: Filter = (value, given, run) => {
  const { name = NONE } = bind("attr", given, ["name"], 1);
  return attributeAlone(value, plain(textArgument("attr", name)), run);
};

/** The filters of jinja2 that take texts, and transformers' own `tojson`. */
export const TEXT_FILTERS: readonly (readonly [string, Filter])[] = [
  ["trim", trim],
  ["replace", replace],
  ["upper", cased("upper", (text) => text.toUpperCase())],
  ["lower", cased("lower", (text) => text.toLowerCase())],
  ["capitalize", cased("capitalize", capitalize)],
  ["title", cased("title", titled)],
  ["indent", indent],
  ["truncate", truncate],
  ["center", center],
  ["format", format],
  ["string", string],
  ["wordcount", wordcount],
  ["urlencode", urlencode],
  ["tojson", tojson],
  ["attr", attr],
  ["wordwrap", wordwrap],
  ["pprint", pprint],
];
