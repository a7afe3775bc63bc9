import { textArgument, wholeArgument } from "../values/arguments.js";
import { characterCount, characterOffsets, isOfUnits } from "../values/python-text.js";
import { bindByPlace, type Run } from "../values/run.js";
import { TemplateError } from "../values/template-error.js";
import { plain, type TextValue } from "../values/text.js";
import { NONE, Tuple, type Value } from "../values/values.js";
import type { Method } from "./members.js";
import { splitRanges } from "./split-text.js";

/** Part of a string that a method looks at, in UTF-16 units; none where the beginning lies behind the end. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The part between two places, which may count from the end, as slices have them. */
function stretchOf(
  name: string,
  text: string,
  start: Value | undefined,
  end: Value | undefined,
): Stretch | undefined {
  if (start === undefined && end === undefined) return { start: 0, end: text.length };
  const offsets = isOfUnits(text) ? undefined : characterOffsets(text);
  const count = offsets === undefined ? text.length : offsets.length - 1;
  const place = (bound: Value | undefined, otherwise: number) => {
    const given = bound === undefined || bound === NONE ? otherwise : wholeArgument(name, bound, otherwise);
    return given < 0 ? Math.max(0, given + count) : given;
  };
  const [from, to] = [place(start, 0), Math.min(place(end, count), count)];
  if (from > to) return undefined;
  return { start: offsets?.[from] ?? from, end: offsets?.[to] ?? to };
}

function affix(name: string, isAtEnd: boolean): Method<TextValue> {
  return (self, given, run) => {
    const { prefix, start, end } = bindByPlace(name, given, ["prefix", "start", "end"], 1);
    const affixes = (prefix instanceof Tuple ? prefix.items : [prefix]).map((one) =>
      plain(textArgument(name, one)),
    );
    run.budget.spend(affixes.length, name);
    const stretch = stretchOf(name, plain(self), start, end);
    if (stretch === undefined) return false;
    const text = plain(self).slice(stretch.start, stretch.end);
    return affixes.some((one) => (isAtEnd ? text.endsWith(one) : text.startsWith(one)));
  };
}

function find(name: string, isLast: boolean, mustBeThere: boolean): Method<TextValue> {
  return (self, given, run) => {
    const { sub, start, end } = bindByPlace(name, given, ["sub", "start", "end"], 1);
    const text = plain(self);
    run.budget.scan(text, name);
    const wanted = plain(textArgument(name, sub));
    const stretch = stretchOf(name, text, start, end);
    const within = stretch === undefined ? undefined : text.slice(0, stretch.end);
    const found =
      within === undefined
        ? -1
        : isLast
          ? within.lastIndexOf(wanted)
          : within.indexOf(wanted, stretch?.start);
    const isThere = found !== -1 && found >= (stretch?.start ?? 0);
    if (!isThere && mustBeThere) throw new TemplateError(`'${name}' finds no such text`);
    return isThere ? characterCount(text.slice(0, found)) : -1;
  };
}

function count(self: TextValue, given: Parameters<Method<TextValue>>[1], run: Run): Value {
  const { sub, start, end } = bindByPlace("count", given, ["sub", "start", "end"], 1);
  run.budget.scan(plain(self), "count");
  const wanted = plain(textArgument("count", sub));
  const stretch = stretchOf("count", plain(self), start, end);
  if (stretch === undefined) return 0;
  const text = plain(self).slice(stretch.start, stretch.end);
  return wanted === "" ? characterCount(text) + 1 : splitRanges(text, wanted, -1).length - 1;
}

/** The methods of strings that look for others in them. */
export const FINDING_METHODS: readonly (readonly [string, Method<TextValue>])[] = [
  ["startswith", affix("startswith", false)],
  ["endswith", affix("endswith", true)],
  ["find", find("find", false, false)],
  ["rfind", find("rfind", true, false)],
  ["index", find("index", false, true)],
  ["rindex", find("rindex", true, true)],
  ["count", count],
];
