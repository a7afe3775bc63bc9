import type { ModelInputChunk } from "@tinkex/types";
import type { Piece } from "./piece.js";
import type { TextRun } from "./text-run.js";

/** A stretch of a message: text, or a picture. */
export type Stretch = TextRun | { readonly chunk: ModelInputChunk };

/** Pieces of a message such that text that stands together is encoded together. */
export function joinPieces(stretches: readonly Stretch[]): Piece[] {
  const pieces: ({ readonly text: TextRun[] } | { readonly chunk: ModelInputChunk })[] = [];
  for (const stretch of stretches) {
    const last = pieces.at(-1);
    if (typeof stretch === "object" && "chunk" in stretch) pieces.push(stretch);
    else if (last !== undefined && "text" in last) last.text.push(stretch);
    else pieces.push({ text: [stretch] });
  }
  return pieces;
}
