import { ValidationError } from "@tinkex/base";
import type { ModelInputChunk } from "@tinkex/types";
import type { RendererTokenizer } from "./renderer-tokenizer.js";

/** What a layout makes a document of. Each piece is encoded on its own and becomes a chunk of its own. */
export type Piece =
  | {
      readonly text: string;
      /** Whether special tokens spelled out in it stay text. Leave it out for what the layout itself writes. @defaultValue false */
      readonly literal?: boolean;
    }
  /** One special token. */
  | { readonly token: string }
  /** A chunk that is not text, such as an image. */
  | { readonly chunk: ModelInputChunk };

/** Makes chunks of pieces. */
export type PieceEncoder = (pieces: readonly Piece[]) => ModelInputChunk[];

/**
 * An encoder for the pieces of one conversation, which knows again what it has encoded. A piece without tokens makes no chunk: the
 * service refuses empty ones.
 */
export function pieceEncoder(tokenizer: RendererTokenizer): PieceEncoder {
  const [written, literal] = [new Map<string, readonly number[]>(), new Map<string, readonly number[]>()];
  const tokensOf = (text: string, isLiteral: boolean): readonly number[] => {
    const known = isLiteral ? literal : written;
    const tokens = known.get(text) ?? tokenizer.encode(text, { allowedSpecial: isLiteral ? [] : "all" });
    known.set(text, tokens);
    return tokens;
  };
  return (pieces) =>
    pieces.flatMap((piece) => {
      if ("chunk" in piece) return [piece.chunk];
      const tokens =
        "token" in piece
          ? [specialTokenId(tokenizer, piece.token)]
          : tokensOf(piece.text, piece.literal === true);
      return tokens.length === 0 ? [] : [{ tokens, type: "encoded_text" as const }];
    });
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
    `The tokenizer has no token ${JSON.stringify(token)}, which this renderer writes. Take the tokenizer of the model, or another renderer: rendererNamesFor(model) knows which.`,
    { path: ["tokenizer"] },
  );
}
