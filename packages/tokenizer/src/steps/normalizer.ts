import { ValidationError } from "@tinkex/base";
import { spellBytes } from "../text/byte-level.js";
import { MARK } from "../text/character-classes.js";
import { eachOf } from "../text/code-points.js";
import { inUnicodeForm, lowercase, type UnicodeForm } from "../text/unicode-forms.js";
import { bertNormalizer } from "./bert-normalizer.js";
import { leafParts, type PartConfig, partOfType } from "./leaf-parts.js";
import { precompiledNormalizer } from "./precompiled-normalizer.js";
import { replaceStep } from "./replace-step.js";
import { checkGrowth } from "./within-growth.js";

type Normalize = (text: string) => string;

const EACH_MARK = eachOf(MARK);
// `do_nmt` of `tokenizers/src/normalizers/unicode.rs`.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const EACH_NMT_CONTROL = /[\x01-\x08\x0b\x0e-\x1f\x7f\x8f\x9f]/g;
const EACH_NMT_SPACE = /[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g;

/** Makers of the kinds of normalisers that Rust's `tokenizers` 0.23 has. */
const NORMALIZERS: Readonly<Record<string, (part: PartConfig) => Normalize>> = {
  BertNormalizer: bertNormalizer,
  ByteLevel: () => spellBytes,
  Lowercase: () => lowercase,
  NFC: () => toForm("NFC"),
  NFD: () => toForm("NFD"),
  NFKC: () => toForm("NFKC"),
  NFKD: () => toForm("NFKD"),
  Nmt: () => (text) => text.replace(EACH_NMT_CONTROL, "").replace(EACH_NMT_SPACE, " "),
  Precompiled: precompiledNormalizer,
  Prepend: prepend,
  Replace: (part) => replaceStep(part, "normalizer"),
  Strip: strip,
  StripAccents: () => (text) => text.replace(EACH_MARK, ""),
};

/**
 * Makes the normaliser of a tokenizer.json.
 * @throws ValidationError when a part is not known.
 */
export function createNormalizer(section: object | null): Normalize {
  const steps = leafParts(section, "normalizers").map((part) =>
    partOfType(NORMALIZERS, part, "normalizer")(part),
  );
  return (text) => {
    let normalized = text;
    for (const normalize of steps) {
      normalized = normalize(normalized);
      checkGrowth(normalized.length, text.length, "normalizer");
    }
    return normalized;
  };
}

function toForm(form: UnicodeForm): Normalize {
  return (text) => inUnicodeForm(text, form);
}

function prepend({ prepend: beginning }: PartConfig): Normalize {
  if (typeof beginning !== "string") {
    throw new ValidationError("prepend of the normalizer of this tokenizer.json must be a text, got none");
  }
  return (text) => (text === "" ? "" : beginning + text);
}

const IS_WHITE_SPACE = /^\p{White_Space}$/u;

function strip({ strip_left: left, strip_right: right }: PartConfig): Normalize {
  return (text) => {
    let [start, end] = [0, text.length];
    if (left !== false) while (start < end && IS_WHITE_SPACE.test(text.charAt(start))) start += 1;
    if (right !== false) while (end > start && IS_WHITE_SPACE.test(text.charAt(end - 1))) end -= 1;
    return text.slice(start, end);
  };
}
