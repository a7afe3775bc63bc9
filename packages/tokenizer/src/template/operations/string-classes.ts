import { isWhiteSpace } from "../values/python-text.js";
import { bindByPlace } from "../values/run.js";
import { unsupported } from "../values/template-error.js";
import { plain, type TextValue } from "../values/text.js";
import type { Method } from "./members.js";

/** Numbers beside the decimal digits: Python tells digits (²) from other numbers (½), JavaScript does not. */
const OTHER_NUMBER = /[\p{No}\p{Nl}]/u;
/** Han characters too, some of which are numbers to `isnumeric`. */
const PERHAPS_NUMBER = /[\p{No}\p{Nl}\p{Script=Han}]/u;

function everyCharacter(
  name: string,
  pattern: RegExp,
  unsure?: RegExp,
): readonly [string, Method<TextValue>] {
  return [
    name,
    (self, given, run) => {
      bindByPlace(name, given, []);
      const text = plain(self);
      run.budget.scan(text, name);
      if (unsure?.test(text) === true)
        throw unsupported(`'${name}' of a text with numbers other than digits`);
      return text !== "" && pattern.test(text);
    },
  ];
}

/** Says whether there are letters with case, and all of them are of it. */
function casing(name: string, convert: (text: string) => string): readonly [string, Method<TextValue>] {
  return [
    name,
    (self, given, run) => {
      bindByPlace(name, given, []);
      const text = plain(self);
      run.budget.scan(text, name);
      return isOfCase(text, convert);
    },
  ];
}

/** Says whether a text is in upper or in lower case, as `isupper` and `islower` say. */
export function isOfCase(text: string, convert: (text: string) => string): boolean {
  return /[\p{Lu}\p{Ll}\p{Lt}]/u.test(text) && !/\p{Lt}/u.test(text) && convert(text) === text;
}

/** The methods of texts that say of what they are. */
export const CLASS_METHODS: readonly (readonly [string, Method<TextValue>])[] = [
  everyCharacter("isalpha", /^\p{L}+$/u),
  everyCharacter("isdecimal", /^\p{Nd}+$/u),
  everyCharacter("isdigit", /^\p{Nd}+$/u, OTHER_NUMBER),
  everyCharacter("isnumeric", /^\p{Nd}+$/u, PERHAPS_NUMBER),
  everyCharacter("isalnum", /^[\p{L}\p{Nd}]+$/u, OTHER_NUMBER),
  everyCharacter("isidentifier", /^[\p{ID_Start}_]\p{ID_Continue}*$/u),
  everyCharacter("isprintable", /^[^\p{C}\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/u),
  ["isascii", (self) => !/[^\0-\x7F]/.test(plain(self))],
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
  casing("isupper", (text) => text.toUpperCase()),
  casing("islower", (text) => text.toLowerCase()),
  [
    "istitle",
    () => {
      throw unsupported("'istitle'");
    },
  ],
];
