import { isPackageMissing, TinkexError, type Tokenizer } from "@tinkex/base";
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
 * The source throws a TinkexError (`missing_dependency`) when the package is not installed or cannot be loaded.
 *
 * @param load - gives the module. @defaultValue a dynamic import
 */
export function fromTransformers(
  load: () => Promise<TransformersModule> = importTransformers,
): TokenizerSource {
  return async ({ id, revision }) => {
    const { AutoTokenizer } = await load().catch(refuse);
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

// Typed as any text: the package is optional, for compilers and bundlers too.
const PACKAGE: string = "@huggingface/transformers";

/** Imports the optional package when a program asks for it: the comments keep bundlers from looking for it while they build. */
function importTransformers(): Promise<TransformersModule> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ PACKAGE);
}

function refuse(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new TinkexError(
    isPackageMissing(PACKAGE, cause)
      ? `this tokenizer source needs ${PACKAGE}, which is not installed; install it: npm install ${PACKAGE}`
      : `this tokenizer source needs ${PACKAGE}, which is there but cannot be loaded: ${reason}; install it anew, with the packages that it needs`,
    { code: "missing_dependency", cause },
  );
}
