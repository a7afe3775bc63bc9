import { unsupported } from "../values/template-error.js";

/** First letters whose capital is not one letter, or not the one that begins a title. */
const ODD_CAPITALS =
  /[\u00DF\u0149\u01C4-\u01CC\u01F0-\u01F3\u0390\u03B0\u0587\u10D0-\u10FF\u1E96-\u1E9A\u1F50-\u1FFC\uFB00-\uFB17]/;
/** Its small form depends on the letters around it. */
const SIGMA = "\u03A3";

function titleLetter(letter: string): string {
  if (ODD_CAPITALS.test(letter)) throw unsupported(`a capital of '${letter}'`);
  return letter.toUpperCase();
}

/** The first letter in upper case and the others in lower case. */
export function capitalize(value: string): string {
  const [first = ""] = value;
  if (value.includes(SIGMA)) throw unsupported(`a small '${SIGMA}'`);
  return titleLetter(first) + value.slice(first.length).toLowerCase();
}

/** Each letter behind one that has no case in upper case, the others in lower case. */
export function titled(value: string): string {
  if (value.includes(SIGMA)) throw unsupported(`a small '${SIGMA}'`);
  let isWithin = false;
  return Array.from(value, (letter) => {
    const made = isWithin
      ? letter.toLowerCase()
      : isCased(letter)
        ? titleLetter(letter)
        : letter.toUpperCase();
    isWithin = isCased(letter);
    return made;
  }).join("");
}

export function swapCase(value: string): string {
  if (value.includes(SIGMA)) throw unsupported(`a small '${SIGMA}'`);
  return Array.from(value, (letter) =>
    /\p{Uppercase}/u.test(letter)
      ? letter.toLowerCase()
      : /\p{Lowercase}/u.test(letter)
        ? letter.toUpperCase()
        : letter,
  ).join("");
}

/** Letters whose folded form is not the small one, a combining one among them. */
const YPOGEGRAMMENI = "\u0345";
const ODD_FOLDS = /[\u00B5\u0130\u0149\u017F\u03C2\u1E9E\u13A0-\u13FF\uAB70-\uABBF]/;

/** A text in the form in which texts that differ by case alone are equal. */
export function foldCase(value: string): string {
  return Array.from(value, (letter) => {
    const small = letter.toLowerCase();
    if (small === letter.toUpperCase()) return letter;
    const isPlain = small.length === letter.length && small.toUpperCase().toLowerCase() === small;
    if (!isPlain || ODD_FOLDS.test(letter) || letter === YPOGEGRAMMENI || ODD_CAPITALS.test(small))
      throw unsupported(`'casefold' of '${letter}'`);
    return small;
  }).join("");
}

/** Says whether a text has letters with case, and each begins a word or follows one as titles have it. */
export function isTitled(value: string): boolean {
  let isWithin = false;
  let hasLetters = false;
  for (const letter of value) {
    const isUpper = /[\p{Uppercase}\p{Lt}]/u.test(letter);
    const isLower = !isUpper && /\p{Lowercase}/u.test(letter);
    if ((isUpper && isWithin) || (isLower && !isWithin)) return false;
    isWithin = isUpper || isLower;
    hasLetters ||= isWithin;
  }
  return hasLetters;
}

function isCased(letter: string): boolean {
  return /\p{Cased}/u.test(letter);
}

/** Says whether a text has letters of one case and none of the other. */
export function isOfCase(text: string, letterCase: "lower" | "upper"): boolean {
  return letterCase === "lower"
    ? /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
    : /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text);
}
