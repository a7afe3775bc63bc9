import type { Tokenizer } from "@tinkex/base";
import type { TokenizerSource } from "../sources/tokenizer-source.js";
import { createTokenizerProvider, type GetTokenizerOptions } from "./create-tokenizer-provider.js";

/** One for the whole process, as a tokenizer takes a second to load and a hundred megabytes of memory. */
const provider = createTokenizerProvider();

/** Sources that {@link registerTokenizer} was given, for providers of one's own that are to find them too. */
export const registeredTokenizers = provider.registry;

/**
 * The tokenizer of a model, or of a directory: `getTokenizer("Qwen/Qwen3-8B")`. It comes from a registered source or
 * from the Hugging Face hub, with the settings that the environment gives (`HF_TOKEN`, `HF_ENDPOINT`, `HF_HOME`,
 * `HF_HUB_CACHE`, `HF_HUB_OFFLINE`), and is kept for later calls.
 *
 * @throws ValidationError when the model needs a source that is not registered, or there is no `tokenizer.json`;
 * ApiStatusError, ConnectionError or ResponseError when the hub refuses, is out of reach or sends something damaged;
 * AbortedError or TimeoutError when `options.signal` or `options.timeoutMs` ended the wait.
 */
export function getTokenizer(modelOrPath: string, options?: GetTokenizerOptions): Promise<Tokenizer> {
  return provider.getTokenizer(modelOrPath, options);
}

/**
 * Makes {@link getTokenizer} take a model's tokenizer from `source`. A name that ends in `/` or `*` stands for all names
 * that begin so.
 *
 * @returns A function that takes the source out again.
 */
export function registerTokenizer(name: string, source: TokenizerSource): () => void {
  return provider.registry.register(name, source);
}
