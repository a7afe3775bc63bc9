import * as library from "@huggingface/tokenizers";

/** A model of the library: it parts words into tokens, and knows their ids. */
interface LibraryModel {
  (words: readonly string[]): string[];
  readonly tokens_to_ids: ReadonlyMap<string, number>;
}

interface LibraryModels {
  readonly Unigram: new (config: object, endOfSequence: string) => LibraryModel;
  readonly WordPiece: new (config: object) => LibraryModel;
}

/** Models of `@huggingface/tokenizers` to compare with; its declarations lose them, as in `patterns/library-classes.ts`. */
export const { Unigram, WordPiece } = library as unknown as LibraryModels;
