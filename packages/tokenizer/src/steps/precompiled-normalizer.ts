import { ValidationError } from "@tinkex/base";
import type { PartConfig } from "./leaf-parts.js";

const UTF8 = new TextEncoder();
/** Longer clusters are taken character by character, as in Rust. */
const MAX_CLUSTER_BYTES = 5;
/** Characters that may stand in one cluster with a neighbour; a text without it has a cluster for each character. */
const IN_CLUSTERS =
  /\r\n|[\p{M}\p{Join_Control}\p{Emoji_Modifier}\p{Regional_Indicator}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}\u0d4e\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f\u{111c2}\u{111c3}\u{113d1}\u{1193f}\u{11941}\u{11a3a}\u{11a84}-\u{11a89}\u{11d46}\u{11f02}\u{e0020}-\u{e007f}]/u;

/**
 * Makes the normaliser of SentencePiece's compiled tables: a trie of UTF-8 bytes, and the texts that its leaves lead to. Of
 * each cluster of characters the shortest beginning that the trie has decides, and stands for the whole: a peculiarity of
 * Rust's that models were made with. (`tokenizers/src/normalizers/precompiled.rs`, crate `spm_precompiled`)
 *
 * @throws ValidationError when the table is none.
 */
export function precompiledNormalizer({ precompiled_charsmap: map }: PartConfig): (text: string) => string {
  const find = readTable(map);
  const known = new Map<string, string | undefined>();
  const replacement = (part: string): string | undefined => {
    if (known.has(part)) return known.get(part);
    const found = find(UTF8.encode(part));
    if (known.size > MAX_KNOWN) known.clear();
    known.set(part, found);
    return found;
  };
  const ofCharacters = (text: string): string => {
    let normalized = "";
    for (const character of text) normalized += replacement(character) ?? character;
    return normalized;
  };
  const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });
  return (text) => {
    if (!IN_CLUSTERS.test(text)) return ofCharacters(text);
    let normalized = "";
    for (const { segment } of clusters.segment(text)) {
      const isShort = segment.length <= MAX_CLUSTER_BYTES && UTF8.encode(segment).length <= MAX_CLUSTER_BYTES;
      normalized += (isShort ? replacement(segment) : undefined) ?? ofCharacters(segment);
    }
    return normalized;
  };
}

const MAX_KNOWN = 20_000;

/** Reads the table and gives its look-up: the text for the shortest beginning of some bytes that it has. */
function readTable(map: unknown): (bytes: Uint8Array) => string | undefined {
  const table = typeof map === "string" ? bytesOfBase64(map) : undefined;
  const view = table === undefined ? undefined : new DataView(table.buffer);
  const trieBytes = view !== undefined && view.byteLength > 4 ? view.getUint32(0, true) : 0;
  if (view === undefined || table === undefined || trieBytes === 0 || trieBytes + 4 > table.length) {
    throw new ValidationError(
      "precompiled_charsmap of the normalizer of this tokenizer.json must be a table of SentencePiece in base64, got something else; download it again",
    );
  }
  const texts = table.subarray(4 + trieBytes);
  const utf8 = new TextDecoder();
  const unitAt = (place: number) =>
    place >= 0 && place * 4 + 4 <= trieBytes ? view.getUint32(4 + place * 4, true) : undefined;

  return (bytes) => {
    let place = offsetOf(unitAt(0) ?? 0);
    for (const byte of bytes) {
      place ^= byte;
      const unit = unitAt(place);
      if (byte === 0 || unit === undefined || (unit & LABEL_BITS) >>> 0 !== byte) return undefined;
      place ^= offsetOf(unit);
      if ((unit & LEAF_BIT) === 0) continue;
      const start = (unitAt(place) ?? 0) & VALUE_BITS;
      const end = texts.indexOf(0, start);
      return utf8.decode(texts.subarray(start, end === -1 ? texts.length : end));
    }
    return undefined;
  };
}

// A unit of the trie ("Darts-clone"): the label of the way to it, the offset to the next units, and flags.
const [LABEL_BITS, VALUE_BITS, LEAF_BIT] = [0x8000_00ff, 0x7fff_ffff, 0x100];

function offsetOf(unit: number): number {
  return (unit >>> 10) << ((unit & 0x200) >>> 6);
}

function bytesOfBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
