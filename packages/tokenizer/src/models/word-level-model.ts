import { unknownTokenFor } from "./unknown-token.js";
import { readVocabulary, type WordModel } from "./vocabulary.js";

/** WordLevel: each word is a token, or the unknown one. Undefined for any other model. (`models/wordlevel/mod.rs`) */
export function createWordLevelModel(config: Readonly<Record<string, unknown>>): WordModel | undefined {
  const vocabulary = config.type === "WordLevel" ? readVocabulary(config.vocab) : undefined;
  if (vocabulary === undefined) return undefined;
  const { idsByToken } = vocabulary;
  const unknown = unknownTokenFor(config.unk_token ?? "<unk>", idsByToken);
  return { ...vocabulary, ids: (word) => [idsByToken.get(word) ?? unknown(word)] };
}
