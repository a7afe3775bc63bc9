import type { Tokenizer } from "@tinkex/types";
import { TinkexError } from "@tinkex/types";
import type { TokenizerSource } from "./tokenizer-source.js";

/** The parts of `@huggingface/transformers` in use. */
export interface TransformersModule {
  readonly AutoTokenizer: {
    from_pretrained(id: string, options: { readonly revision?: string }): Promise<TransformersTokenizer>;
  };
}

/** A tokenizer of `@huggingface/transformers`. */
interface TransformersTokenizer {
  encode(text: string, options: { readonly add_special_tokens: boolean }): number[];
  decode(
    ids: number[],
    options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean },
  ): string;
  get_vocab(): ReadonlyMap<string, number>;
}

/**
 * A source that loads tokenizers through the optional peer `@huggingface/transformers`, with that package's settings,
 * cache and engine. It cannot leave special tokens in a text as text: `allowedSpecial` is ignored.
 *
 * The source throws a TinkexError (`missing_dependency`) when the package is not installed.
 *
 * @param load Gives the module. @defaultValue a dynamic import
 */
export function fromTransformers(
  load: () => Promise<TransformersModule> = importTransformers,
): TokenizerSource {
  return async ({ id, revision }) => {
    const { AutoTokenizer } = await load();
    return adapt(await AutoTokenizer.from_pretrained(id, revision === undefined ? {} : { revision }));
  };
}

function adapt(tokenizer: TransformersTokenizer): Tokenizer {
  const vocabulary = tokenizer.get_vocab();
  const ids = new Set(vocabulary.values());
  return {
    vocabularySize: vocabulary.size,
    tokenId: (token) => vocabulary.get(token),
    encode: (text, options = {}) =>
      tokenizer.encode(text, { add_special_tokens: options.addSpecialTokens ?? false }),
    decode(given, options = {}) {
      const known = Array.from(given).filter((id) => ids.has(id));
      // The package throws for no ids at all.
      if (known.length === 0) return "";
      return tokenizer.decode(known, {
        skip_special_tokens: options.skipSpecialTokens ?? false,
        clean_up_tokenization_spaces: false,
      });
    },
  };
}

async function importTransformers(): Promise<TransformersModule> {
  // Not a literal: the package is optional, for compilers and bundlers too.
  const name: string = "@huggingface/transformers";
  try {
    return await import(name);
  } catch (cause) {
    throw new TinkexError(
      "This tokenizer source needs @huggingface/transformers, which is not installed. Install it: npm install @huggingface/transformers",
      { code: "missing_dependency", cause },
    );
  }
}
