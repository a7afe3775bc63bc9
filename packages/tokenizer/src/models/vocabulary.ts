import { ValidationError } from "@tinkex/base";

/** The tokens of a model, added ones aside. */
export interface Vocabulary {
  readonly idsByToken: ReadonlyMap<string, number>;
  readonly tokensById: readonly (string | undefined)[];
}

/** A model that takes a text to ids word by word. */
export interface WordModel extends Vocabulary {
  /** The ids of a word; where a byte-level tokenizer has its model, of one that is spelled in bytes. */
  ids(word: string): readonly number[];
}

const MAX_ID = 2 ** 32 - 2;

/**
 * Reads a vocabulary that is an object of ids; undefined for any other.
 * @throws ValidationError when an id is a number that no list can have a place for.
 */
export function readVocabulary(vocab: unknown): Vocabulary | undefined {
  if (typeof vocab !== "object" || vocab === null || Array.isArray(vocab)) return undefined;
  const idsByToken = new Map<string, number>();
  const tokensById: string[] = [];
  // By key: lists of pairs, such as Object.entries gives, take twice the time.
  const byToken = vocab as Readonly<Record<string, unknown>>;
  for (const token of Object.keys(vocab)) {
    const id = byToken[token];
    if (typeof id !== "number") return undefined;
    if (!Number.isInteger(id) || id < 0 || id > MAX_ID) {
      throw new ValidationError(
        `model.vocab of this tokenizer.json must have whole numbers from 0 on, got ${id} for ${JSON.stringify(token.slice(0, 80))}`,
      );
    }
    idsByToken.set(token, id);
    tokensById[id] = token;
  }
  return { idsByToken, tokensById };
}
