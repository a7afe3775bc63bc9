import type { ModelInputChunk } from "@tinkex/types";
import { ValidationError } from "@tinkex/types/base";
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

/** The chunks of `pieces`. A piece without tokens makes none: the service refuses empty chunks. */
export function encodePieces(pieces: readonly Piece[], tokenizer: RendererTokenizer): ModelInputChunk[] {
  return pieces.flatMap((piece) => {
    if ("chunk" in piece) return [piece.chunk];
    const tokens =
      "token" in piece
        ? [specialTokenId(tokenizer, piece.token)]
        : tokenizer.encode(piece.text, { allowedSpecial: piece.literal === true ? [] : "all" });
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
