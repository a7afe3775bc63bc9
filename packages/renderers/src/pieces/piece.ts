import { ValidationError } from "@tinkex/base";
import type { ModelInputChunk } from "@tinkex/types";
import type { RunEncoder } from "./literal-encoder.js";
import type { RendererTokenizer } from "./renderer-tokenizer.js";
import { given, type TextRun, textOfRuns } from "./text-run.js";

/** Part of which a layout makes a document. Each piece is encoded on its own and becomes a chunk of its own. */
export type Piece =
  | TextPiece
  /** One special token. */
  | { readonly token: string }
  /** A chunk that is not text, such as an image. */
  | { readonly chunk: ModelInputChunk };

export interface TextPiece {
  /**
   * The text, or its runs: the layout's own as strings, what it was given as `{ given: text }`. The option `literalText` keeps what
   * is given from becoming a token; a string without runs is the layout's own.
   */
  readonly text: string | readonly TextRun[];
  /**
   * Keeps special tokens spelled out in it text, also without the option `literalText`. With it, a string counts as given.
   * @defaultValue false
   */
  readonly literal?: boolean;
}

/** Makes chunks of pieces. */
export type PieceEncoder = (pieces: readonly Piece[]) => ModelInputChunk[];

/**
 * An encoder for the pieces of one conversation, which knows again what it has encoded. A piece without tokens makes no chunk: the
 * service refuses empty ones.
 *
 * @param encodeRuns - encodes runs such that what was given becomes no token of the layout. @defaultValue what is given may become one
 */
export function pieceEncoder(tokenizer: RendererTokenizer, encodeRuns?: RunEncoder): PieceEncoder {
  const known = new Map<string, readonly number[]>();
  const encode = (piece: TextPiece): readonly number[] => {
    const key = JSON.stringify([piece.text, piece.literal]);
    const ids =
      known.get(key) ??
      encodeRuns?.(runsOf(piece)) ??
      tokenizer.encode(textOfRuns(piece.text), { allowedSpecial: piece.literal === true ? [] : "all" });
    known.set(key, ids);
    return ids;
  };
  return (pieces) =>
    pieces.flatMap((piece) => {
      if ("chunk" in piece) return [piece.chunk];
      const tokens = "token" in piece ? [specialTokenId(tokenizer, piece.token)] : encode(piece);
      return tokens.length === 0 ? [] : [{ tokens, type: "encoded_text" as const }];
    });
}

function runsOf({ text, literal }: TextPiece): readonly TextRun[] {
  if (typeof text !== "string") return text;
  return [literal === true ? given(text) : text];
}

/**
 * The id of a token that a layout cannot do without.
 *
 * @throws ValidationError when the tokenizer has none
 */
export function specialTokenId(tokenizer: RendererTokenizer, token: string): number {
  const id = tokenizer.tokenId(token);
  if (id !== undefined) return id;
  throw new ValidationError(
    `the tokenizer has no token ${JSON.stringify(token)}, which this renderer writes; take the tokenizer of the model, or another renderer: rendererNamesFor(model) knows which`,
    { path: ["tokenizer"] },
  );
}
