import type { TokenizerJson } from "../file-format/tokenizer-json.js";

/**
 * A pre-tokenizer without its last step, where that step does nothing but spell each word in bytes (as in all
 * byte-level model families); undefined for any other. The step may then be taken word by word.
 */
export function withoutByteSpelling(preTokenizer: TokenizerJson["pre_tokenizer"]): object | undefined {
  if (preTokenizer === null || !("pretokenizers" in preTokenizer)) return undefined;
  const steps: unknown = preTokenizer.pretokenizers;
  if (!Array.isArray(steps)) return undefined;
  const last: unknown = steps.at(-1);
  if (typeof last !== "object" || last === null || !("type" in last) || last.type !== "ByteLevel")
    return undefined;
  const splits = !("use_regex" in last) || last.use_regex !== false;
  const addsSpace = "add_prefix_space" in last && last.add_prefix_space === true;
  return splits || addsSpace ? undefined : { ...preTokenizer, pretokenizers: steps.slice(0, -1) };
}
