import { PrefixIndex } from "../text/prefix-index.js";
import { unknownTokenFor } from "./unknown-token.js";
import { readVocabulary, type WordModel } from "./vocabulary.js";

const PREFIX = "##";
const MAX_CHARACTERS = 100;

/**
 * WordPiece, the model of BERT's family: of each word the longest token that begins it, then the longest that goes on,
 * written with a prefix. A word that cannot be made, or is too long, is the unknown token. Undefined for any other model.
 */
export function createWordPieceModel(config: Readonly<Record<string, unknown>>): WordModel | undefined {
  const vocabulary = config.type === "WordPiece" ? readVocabulary(config.vocab) : undefined;
  if (vocabulary === undefined) return undefined;
  const { idsByToken } = vocabulary;
  const prefix =
    typeof config.continuing_subword_prefix === "string" ? config.continuing_subword_prefix : PREFIX;
  const { max_input_chars_per_word: limit } = config;
  const maxCharacters = typeof limit === "number" ? limit : MAX_CHARACTERS;
  const unknown = unknownTokenFor(config.unk_token ?? "[UNK]", idsByToken);

  const tokens = [...idsByToken.keys()].filter((token) => token !== "");
  const beginnings = new PrefixIndex(tokens);
  const continuations = new PrefixIndex(
    tokens.filter((token) => token.startsWith(prefix)).flatMap((token) => token.slice(prefix.length) || []),
  );

  return {
    ...vocabulary,
    ids(word) {
      if (word.length > maxCharacters && [...word].length > maxCharacters) return [unknown(word)];
      const ids: number[] = [];
      for (let at = 0; at < word.length; ) {
        const piece = (at === 0 ? beginnings : continuations).longest(word, at);
        const id = piece === undefined ? undefined : idsByToken.get(at === 0 ? piece : prefix + piece);
        if (piece === undefined || id === undefined) return [unknown(word)];
        ids.push(id);
        at += piece.length;
      }
      return ids;
    },
  };
}
