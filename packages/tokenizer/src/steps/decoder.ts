import {
  bpeDecoder,
  byteFallbackDecoder,
  byteLevelDecoder,
  ctcDecoder,
  metaspaceDecoder,
  stripDecoder,
  stripOfStart,
  wordPieceDecoder,
} from "./decoder-parts.js";
import { type DecoderPart, eachToken, inSequence, wholeToken } from "./decoding.js";
import { leafParts, type PartConfig, partOfType } from "./leaf-parts.js";
import { replaceStep } from "./replace-step.js";

/** Makers of the kinds of decoders that Rust's `tokenizers` 0.23 has. */
const DECODERS: Readonly<Record<string, (part: PartConfig) => DecoderPart>> = {
  BPEDecoder: bpeDecoder,
  ByteFallback: byteFallbackDecoder,
  ByteLevel: byteLevelDecoder,
  CTC: ctcDecoder,
  Fuse: joined,
  Metaspace: metaspaceDecoder,
  Replace: (part) => eachToken(replaceStep(part, "decoder")),
  Strip: (part) => eachToken(stripDecoder(part)),
  WordPiece: wordPieceDecoder,
};

/**
 * Makes the decoder of a tokenizer.json; what it gives, joined, is the text. Without parts, tokens are words.
 * @throws ValidationError when a part is not known.
 */
export function createDecoder(section: object | null): DecoderPart {
  if (section === null) return eachToken((token, isFirst) => (isFirst ? token : ` ${token}`));
  const parts = leafParts(section, "decoders");
  const joining = parts.findIndex(
    (part, index) => isJoining(part) && parts.slice(index + 1).every(isStripOfStart),
  );
  return inSequence(
    parts.flatMap((part, index) => {
      const decoder = partOfType(DECODERS, part, "decoder")(part);
      // From here on all is one token, whose pieces are given as they come: nothing behind needs it whole.
      if (joining !== -1 && index > joining) return stripOfStart(part);
      if (index === joining) return part.type === "Fuse" ? [] : decoder;
      return part.type === "ByteLevel" ? [decoder, joined()] : decoder;
    }),
  );
}

function joined(): DecoderPart {
  return wholeToken((tokens) => tokens.join(""));
}

function isJoining({ type }: PartConfig): boolean {
  return type === "Fuse" || type === "ByteLevel";
}

function isStripOfStart({ type, stop = 0 }: PartConfig): boolean {
  return type === "Strip" && stop === 0;
}
