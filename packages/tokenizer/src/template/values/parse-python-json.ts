import { checkString, type JsonParts, readJsonText, ValidationError } from "@tinkex/base";
import { isNumericName } from "./from-json.js";
import { PythonFloat } from "./python-float.js";

/** Levels that a template takes. */
const MAX_DEPTH = 200;
/** Python refuses to read longer integers, whose digits take the square of their number to turn. */
const MAX_DIGITS = 4300;

const PARTS: Omit<JsonParts<unknown>, "fault" | "number"> = {
  string: (text) => text,
  array: (items) => items,
  object: (members) =>
    members.size > 1 && [...members.keys()].some(isNumericName) ? members : Object.fromEntries(members),
  words: new Map<string, unknown>([
    ["true", true],
    ["false", false],
    ["null", null],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["-Infinity", Number.NEGATIVE_INFINITY],
  ]),
  maxDepth: MAX_DEPTH,
};

/**
 * Parses JSON text as Python's `json.loads` does, for the values of a chat template. The result is that of `JSON.parse`, save where
 * that one loses what a template prints:
 *
 * - an object with several fields, one of which is named by a number (`"10"`), becomes a `Map`, which keeps their order;
 * - an integer beyond 2^53 becomes a bigint;
 * - a float without a fraction (`1.0`, `1e5`) becomes a {@link PythonFloat};
 * - the words `NaN`, `Infinity` and `-Infinity` are read.
 *
 * @throws ValidationError for text that is no JSON, with the place; for more than 200 levels, or an integer of more than 4300 digits
 */
export function parsePythonJson(text: string): unknown {
  return parseJsonOf("parsePythonJson", text);
}

/** Parses JSON text for a public function, which errors name. */
export function parseJsonOf(caller: string, text: string): unknown {
  checkString(text, `${caller}: text`, '{"role": "user", "content": "Hi"}');
  return readJsonText(text, {
    ...PARTS,
    number(spelling, isInteger) {
      if (spelling.length > MAX_DIGITS && isInteger) {
        throw new ValidationError(
          `${caller}: an integer must have at most ${MAX_DIGITS} digits, got ${spelling.length}`,
          { path: ["text"] },
        );
      }
      return numberOf(spelling, isInteger);
    },
    fault: (reason, position) =>
      new ValidationError(`${caller}: text must be JSON; at character ${position}: ${reason}`, {
        path: ["text"],
      }),
  });
}

function numberOf(spelling: string, isInteger: boolean): number | bigint | PythonFloat {
  const value = Number(spelling);
  if (!isInteger) return Number.isInteger(value) ? new PythonFloat(value) : value;
  // Python's integers have no negative zero.
  return Number.isSafeInteger(value) ? value + 0 : BigInt(spelling);
}
