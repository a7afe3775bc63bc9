import { CHINESE, NO_TEXT, NONSPACING_MARK, WHITE_SPACE } from "../text/character-classes.js";
import { inUnicodeForm, lowercase } from "../text/unicode-forms.js";
import type { PartConfig } from "./leaf-parts.js";

const EACH_NO_TEXT = new RegExp(NO_TEXT, "gu");
const EACH_WHITE_SPACE = new RegExp(WHITE_SPACE, "gu");
const EACH_CHINESE = new RegExp(CHINESE, "gu");
const EACH_NONSPACING_MARK = new RegExp(NONSPACING_MARK, "gu");

/**
 * Makes BERT's normaliser: cleans the text, puts spaces around Chinese characters, takes accents off and makes letters small,
 * each unless a setting says no. Accents stay where letters do, unless `strip_accents` says otherwise.
 * (`tokenizers/src/normalizers/bert.rs`)
 */
export function bertNormalizer(part: PartConfig): (text: string) => string {
  const isOn = (name: string) => part[name] !== false;
  const stripsAccents = part.strip_accents ?? isOn("lowercase");
  return (text) => {
    let normalized = text;
    if (isOn("clean_text")) normalized = normalized.replace(EACH_NO_TEXT, "").replace(EACH_WHITE_SPACE, " ");
    if (isOn("handle_chinese_chars")) normalized = normalized.replace(EACH_CHINESE, " $& ");
    if (stripsAccents === true) {
      normalized = inUnicodeForm(normalized, "NFD").replace(EACH_NONSPACING_MARK, "");
    }
    return isOn("lowercase") ? lowercase(normalized) : normalized;
  };
}
