import * as library from "@huggingface/tokenizers";

interface LibraryClasses {
  readonly SplitPreTokenizer: new (config: object) => { readonly pattern: RegExp | string | null };
}

/**
 * Class of `@huggingface/tokenizers` that its declarations lose: those files import each other without endings, which the compiler
 * does not follow in ES modules. Taken by its name, not out of the whole module, it brings a fifth of the library into a bundle.
 */
export const SplitPreTokenizer = (library as unknown as LibraryClasses).SplitPreTokenizer;
