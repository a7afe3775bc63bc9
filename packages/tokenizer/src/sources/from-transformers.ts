import { isPackageMissing, TinkexError, type Tokenizer, ValidationError } from "@tinkex/base";
import { isRecord } from "../file-format/is-record.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import type { TokenizerSource } from "./tokenizer-source.js";

/** The parts of `@huggingface/transformers` in use. */
export interface TransformersModule {
  readonly AutoTokenizer: {
    from_pretrained(id: string, options: { readonly revision?: string }): Promise<TransformersTokenizer>;
  };
}

/** A tokenizer of `@huggingface/transformers`, which keeps the files that it was made from. */
interface TransformersTokenizer {
  /** The engine, with the content of `tokenizer.json` and `tokenizer_config.json`. */
  readonly _tokenizer?: unknown;
  readonly _tokenizerJSON?: unknown;
  readonly _tokenizerConfig?: unknown;
}

/**
 * A source that loads tokenizers through the optional peer `@huggingface/transformers`, with that package's settings and cache.
 * The tokenizer is this package's own, made from the files that were loaded: as everywhere, special tokens that a text spells
 * out stay text unless `allowedSpecial` names them, which the other package's engine cannot do.
 *
 * The source throws a TinkexError (`missing_dependency`) when the package is not installed or cannot be loaded, and a
 * ValidationError for a tokenizer that it cannot give.
 *
 * @param load - gives the module. @defaultValue a dynamic import
 */
export function fromTransformers(
  load: () => Promise<TransformersModule> = importTransformers,
): TokenizerSource {
  return async ({ id, revision }) => {
    const { AutoTokenizer } = await load().catch(refuse);
    const loaded = await AutoTokenizer.from_pretrained(id, revision === undefined ? {} : { revision }).catch(
      (cause: unknown) => {
        throw new ValidationError(
          `${PACKAGE} cannot give the tokenizer ${id}: ${reasonOf(cause)}; check the name, and its env.localModelPath and env.allowRemoteModels`,
          { cause },
        );
      },
    );
    return ownTokenizer(id, loaded);
  };
}

/** Makes our own tokenizer of the files that the package has read; it keeps them, and so does its engine. */
function ownTokenizer(id: string, loaded: TransformersTokenizer): Tokenizer {
  const engine = isRecord(loaded._tokenizer) ? loaded._tokenizer : {};
  const { _tokenizerJSON: tokenizer = engine.tokenizer, _tokenizerConfig: config = engine.config } = loaded;
  if (isRecord(tokenizer) && isRecord(config)) return createTokenizer({ tokenizer, config });
  throw new ValidationError(
    `the version of ${PACKAGE} that is installed does not keep the files of ${id}; install version 4: npm install ${PACKAGE}@4`,
  );
}

// Typed as any text: the package is optional, for compilers and bundlers too.
const PACKAGE: string = "@huggingface/transformers";

/** Imports the optional package when a program asks for it: the comments keep bundlers from looking for it while they build. */
function importTransformers(): Promise<TransformersModule> {
  return import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ PACKAGE);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function refuse(cause: unknown): never {
  throw new TinkexError(
    isPackageMissing(PACKAGE, cause)
      ? `this tokenizer source needs ${PACKAGE}, which is not installed; install it: npm install ${PACKAGE}`
      : `this tokenizer source needs ${PACKAGE}, which is there but cannot be loaded: ${reasonOf(cause)}; install it anew, with the packages that it needs`,
    { code: "missing_dependency", cause },
  );
}
