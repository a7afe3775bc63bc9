import { isWhiteSpace } from "../values/python-text.js";
import { bindByPlace } from "../values/run.js";
import { unsupported } from "../values/template-error.js";
import { plain, type TextValue } from "../values/text.js";
import { isOfCase, isTitled } from "./letter-case.js";
import type { Method } from "./members.js";

/** Numbers beside the decimal digits: Python tells digits (²) from other numbers (½), JavaScript does not. */
const OTHER_NUMBER = /[\p{No}\p{Nl}]/u;
/** Han characters too, some of which are numbers to `isnumeric`. */
const PERHAPS_NUMBER = /[\p{No}\p{Nl}\p{Script=Han}]/u;

function everyCharacter(
  name: string,
  pattern: RegExp,
  unsure?: RegExp,
  isTrueOfNothing = false,
): readonly [string, Method<TextValue>] {
  return [
    name,
    (self, given, run) => {
      bindByPlace(name, given, []);
      const text = plain(self);
      run.budget.scan(text, name);
      if (unsure?.test(text) === true)
        throw unsupported(`'${name}' of a text with numbers other than digits`);
      return text === "" ? isTrueOfNothing : pattern.test(text);
    },
  ];
}

function casing(name: string, test: (text: string) => boolean): readonly [string, Method<TextValue>] {
  return [
    name,
    (self, given, run) => {
      bindByPlace(name, given, []);
      const text = plain(self);
      run.budget.scan(text, name);
      return test(text);
    },
  ];
}

/** The methods of texts that say of what they are. */
export const CLASS_METHODS: readonly (readonly [string, Method<TextValue>])[] = [
  everyCharacter("isalpha", /^\p{L}+$/u),
  everyCharacter("isdecimal", /^\p{Nd}+$/u),
  everyCharacter("isdigit", /^\p{Nd}+$/u, OTHER_NUMBER),
  everyCharacter("isnumeric", /^\p{Nd}+$/u, PERHAPS_NUMBER),
  everyCharacter("isalnum", /^[\p{L}\p{Nd}]+$/u, OTHER_NUMBER),
  everyCharacter("isidentifier", /^[\p{XIDS}_](?:(?![\u200C\u200D])\p{XIDC})*$/u),
  everyCharacter(
    "isprintable",
    /^[^\p{C}\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/u,
    undefined,
    true,
  ),
  casing("isascii", (text) => !/[^\0-\x7F]/.test(text)),
  [
    "isspace",
    (self, given, run) => {
      bindByPlace("isspace", given, []);
      const text = plain(self);
      run.budget.scan(text, "isspace");
      for (let at = 0; at < text.length; at += 1) if (!isWhiteSpace(text.charCodeAt(at))) return false;
      return text !== "";
    },
  ],
  casing("isupper", (text) => isOfCase(text, "upper")),
  casing("islower", (text) => isOfCase(text, "lower")),
  casing("istitle", isTitled),
];
