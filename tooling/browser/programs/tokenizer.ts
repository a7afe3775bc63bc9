import { createTokenizer } from "@tinkex/tokenizer";

export interface Input {
  /** Where `tokenizer.json` is served, e.g. `/qwen3/tokenizer.json`. */
  readonly url: string;
  readonly texts: readonly string[];
}

/** Fetches a tokenizer, encodes texts and decodes their ids again. */
export async function run({ url, texts }: Input) {
  const response = await fetch(url);
  const tokenizer = createTokenizer({ tokenizer: await response.json() });
  return texts.map((text) => {
    const ids = tokenizer.encode(text, { allowedSpecial: "all" });
    return { ids, decoded: tokenizer.decode(ids) };
  });
}
