import { CHINESE, NO_TEXT, NONSPACING_MARK, WHITE_SPACE } from "../text/character-classes.js";
import { eachOf } from "../text/code-points.js";
import { inUnicodeForm, lowercase } from "../text/unicode-forms.js";
import type { PartConfig } from "./leaf-parts.js";

const EACH_NO_TEXT = eachOf(NO_TEXT);
const EACH_WHITE_SPACE = eachOf(WHITE_SPACE);
const EACH_CHINESE = eachOf(CHINESE);
const EACH_NONSPACING_MARK = eachOf(NONSPACING_MARK);

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
