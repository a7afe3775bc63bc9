import type { ModelInputChunk } from "@tinkex/types";
import type { Piece } from "./piece.js";

/** A stretch of a message: text that the family writes, or a picture. */
export type Stretch = string | { readonly chunk: ModelInputChunk };

/** Pieces of a message such that text that stands together is encoded together. */
export function joinPieces(stretches: readonly Stretch[]): Piece[] {
  const pieces: ({ text: string } | { readonly chunk: ModelInputChunk })[] = [];
  for (const stretch of stretches) {
    const last = pieces.at(-1);
    if (typeof stretch !== "string") pieces.push(stretch);
    else if (last !== undefined && "text" in last) last.text += stretch;
    else pieces.push({ text: stretch });
  }
  return pieces;
}
