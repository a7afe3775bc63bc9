import * as library from "@huggingface/tokenizers";

/** A model of the library: it parts words into tokens, and knows their ids. */
interface LibraryModel {
  (words: readonly string[]): string[];
  readonly tokens_to_ids: ReadonlyMap<string, number>;
}

interface LibraryClasses {
  readonly SplitPreTokenizer: new (config: object) => { readonly pattern: RegExp | string | null };
  readonly Unigram: new (config: object, endOfSequence: string) => LibraryModel;
  readonly WordPiece: new (config: object) => LibraryModel;
}

/**
 * Classes of `@huggingface/tokenizers` that its declarations lose: those files import each other without endings, which the
 * compiler does not follow in ES modules.
 */
export const { SplitPreTokenizer, Unigram, WordPiece } = library as unknown as LibraryClasses;
