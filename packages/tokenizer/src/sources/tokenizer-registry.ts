import { checkFunction, checkString, ValidationError } from "@tinkex/base";
import type { TokenizerSource } from "./tokenizer-source.js";

/** Sources that a program registered, by the name of a model or the beginning of names. */
export class TokenizerRegistry {
  readonly #sources = new Map<string, TokenizerSource>();

  /**
   * Uses `source` for a model or tokenizer id, before any other source. A name that ends in `/` or `*` stands for all
   * names that begin so; the longest such name wins. Registering a name again replaces its source.
   *
   * @returns A function that takes the source out again.
   * @throws ValidationError when the name is empty.
   */
  register(name: string, source: TokenizerSource): () => void {
    checkString(name, "registerTokenizer: name", "acme/model");
    checkFunction(source, "registerTokenizer: source");
    if (name === "")
      throw new ValidationError("registerTokenizer: name must be the name of a model, got an empty one");
    this.#sources.set(name, source);
    return () => {
      if (this.#sources.get(name) === source) this.#sources.delete(name);
    };
  }

  /** The source registered for the first of `names` that has one. */
  find(...names: readonly string[]): TokenizerSource | undefined {
    for (const name of names) {
      checkString(name, "TokenizerRegistry.find: name", "acme/model");
      const exact = this.#sources.get(name);
      if (exact !== undefined) return exact;
      const [best] = [...this.#sources]
        .filter(([pattern]) => /[/*]$/.test(pattern) && name.startsWith(pattern.replace(/\*$/, "")))
        .sort(([a], [b]) => b.length - a.length);
      if (best !== undefined) return best[1];
    }
    return undefined;
  }
}
