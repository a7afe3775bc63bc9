import { readVocabulary, type WordModel } from "./vocabulary.js";

/** WordLevel: each word is a token, or the unknown one. Undefined for any other model. (`models/wordlevel/mod.rs`) */
export function createWordLevelModel(config: Readonly<Record<string, unknown>>): WordModel | undefined {
  const vocabulary = config.type === "WordLevel" ? readVocabulary(config.vocab) : undefined;
  if (vocabulary === undefined) return undefined;
  const { idsByToken } = vocabulary;
  const unknownId = typeof config.unk_token === "string" ? idsByToken.get(config.unk_token) : undefined;
  return {
    ...vocabulary,
    ids(word) {
      const id = idsByToken.get(word) ?? unknownId;
      return id === undefined ? [] : [id];
    },
  };
}
