import type { Dice } from "./dice.js";

/** JSON text that takes the place of a value, to see what stands behind a schema. */
const LITERALS = [
  "null",
  "true",
  "-1",
  "0",
  "-0",
  "1.5",
  "1e308",
  "1e999",
  "NaN",
  "-Infinity",
  "9007199254740993",
  "-9223372036854775808",
  "99999999999999999999999999",
  "4294967296",
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"../../../../etc"',
  '"tinker://a/b/c"',
  '"__proto__"',
  "[]",
  "{}",
  "[[[]]]",
  '{"toString":1,"valueOf":2}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
] as const;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Stands for a literal until the text is made. */
const MARK = "fuzz-literal-";

function literal(dice: Dice): string {
  if (dice.hits(0.9)) return dice.of(LITERALS);
  const size = 10 ** dice.below(5);
  return dice.of([
    JSON.stringify("x".repeat(size)),
    `[${new Array(size).fill(dice.of(LITERALS)).join()}]`,
    `{${Array.from({ length: size }, (_, index) => `"k${index}":${index}`).join()}}`,
    "[".repeat(size) + "]".repeat(size),
    "1".repeat(size),
  ]);
}

/** Changes one to three places of a JSON text: values, members, elements, or just its bytes. */
export function mutateJson(text: string, dice: Dice): string {
  if (dice.hits(0.2)) return mutateText(text, dice);
  const literals: string[] = [];
  const mark = (): string => `${MARK}${literals.push(literal(dice)) - 1}-`;
  let value: Json = JSON.parse(text);
  for (let times = 1 + dice.below(3); times > 0; times -= 1) value = mutateValue(value, dice, mark);
  const written = JSON.stringify(value) ?? "";
  return written.replace(
    new RegExp(`"${MARK}(\\d+)-"`, "g"),
    (_, index) => literals[Number(index)] ?? "null",
  );
}

function mutateValue(value: Json, dice: Dice, mark: () => string): Json {
  if (typeof value !== "object" || value === null || dice.hits(0.1)) return mark();
  if (Array.isArray(value)) return mutateList(value, dice, mark);
  const [key, ...others] = dice.hits(0.05) ? [] : shuffled(Object.keys(value), dice);
  if (key === undefined) return { ...value, [dice.of(["x", "type", "__proto__", ""])]: mark() };
  const { [key]: member = null, ...rest } = value;
  if (dice.hits(0.08)) return rest;
  if (dice.hits(0.05)) return { ...rest, [`${key}x`]: member };
  if (dice.hits(0.05)) return { ...value, [key]: value[others[0] ?? key] ?? null };
  return { ...value, [key]: mutateValue(member, dice, mark) };
}

function mutateList(list: Json[], dice: Dice, mark: () => string): Json[] {
  const at = dice.below(list.length + 1);
  const element = list[at];
  if (element === undefined || dice.hits(0.1)) return [...list, mark()];
  if (dice.hits(0.1)) return list.toSpliced(at, 1);
  if (dice.hits(0.1)) return list.toSpliced(at, 0, ...new Array<Json>(10 ** dice.below(4)).fill(element));
  return list.with(at, mutateValue(element, dice, mark));
}

function shuffled(keys: string[], dice: Dice): string[] {
  const first = dice.below(Math.max(1, keys.length));
  return [...keys.slice(first), ...keys.slice(0, first)];
}

function mutateText(text: string, dice: Dice): string {
  const at = dice.below(text.length + 1);
  const removed = dice.below(8);
  return (
    text.slice(0, at) +
    dice.of(["", "{", "[", '"', ",", ":", "\\", "1", "\u0000", "é"]) +
    text.slice(at + removed)
  );
}
