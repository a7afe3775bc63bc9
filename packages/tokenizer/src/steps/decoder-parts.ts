import { ValidationError } from "@tinkex/base";
import { byteLevelTokenBytes } from "../text/byte-level.js";
import { type DecoderPart, eachToken } from "./decoding.js";
import type { PartConfig } from "./leaf-parts.js";
import { readMetaspace } from "./metaspace.js";

/** Joins words by spaces (`decoders/bpe.rs`): the suffix becomes one, but for that of the last token. */
export function bpeDecoder(part: PartConfig): DecoderPart {
  const suffix = textOf(part, "suffix", "</w>");
  // An empty suffix stands between all characters.
  const replaced = (token: string, by: string) =>
    suffix === "" ? ["", ...token, ""].join(by) : token.replaceAll(suffix, () => by);
  return () => {
    let held: string | undefined;
    return {
      push(token) {
        const before = held;
        held = token;
        return before === undefined ? [] : [replaced(before, " ")];
      },
      end: () => (held === undefined ? [] : [replaced(held, "")]),
    };
  };
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>$/;

/** Makes text of tokens that stand for single bytes (`decoders/byte_fallback.rs`): a run that is no UTF-8 becomes U+FFFD, one a byte. */
export function byteFallbackDecoder(): DecoderPart {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return () => {
    let bytes: number[] = [];
    const release = (): string[] => {
      const run = Uint8Array.from(bytes);
      bytes = [];
      if (run.length === 0) return [];
      try {
        return [utf8.decode(run)];
      } catch {
        return Array.from(run, () => "\uFFFD");
      }
    };
    return {
      push(token) {
        const digits = token.startsWith("<") ? BYTE_TOKEN.exec(token)?.[1] : undefined;
        if (digits === undefined) return bytes.length === 0 ? [token] : [...release(), token];
        bytes.push(Number.parseInt(digits, 16));
        return [];
      },
      end: release,
    };
  };
}

/** Makes text of byte-level tokens as they come; half a character waits for its other half, and a single token comes of all. */
export function byteLevelDecoder(): DecoderPart {
  const bytesOf = byteLevelTokenBytes();
  return () => {
    const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
    return {
      push: (token) => [utf8.decode(bytesOf(token), { stream: true })],
      end: () => [utf8.decode()],
    };
  };
}

/** Decodes what speech recognisers give (`decoders/ctc.rs`): of equal neighbours one counts, and padding none. */
export function ctcDecoder(part: PartConfig): DecoderPart {
  const padding = textOf(part, "pad_token", "<pad>");
  const delimiter = textOf(part, "word_delimiter_token", "|");
  return () => {
    let last: string | undefined;
    return {
      push(token) {
        if (token === last) return [];
        last = token;
        const kept = padding === "" ? token : token.replaceAll(padding, "");
        const text = part.cleanup === false ? kept : cleanUp(kept).replaceAll(delimiter, " ");
        return text === "" ? [] : [text];
      },
      end: () => [],
    };
  };
}

/** Makes spaces of marks (`pre_tokenizers/metaspace.rs`); those of the first token are left out where the text got one. */
export function metaspaceDecoder(part: PartConfig): DecoderPart {
  const { mark, prepends } = readMetaspace(part);
  return eachToken((token, isFirst) => token.replaceAll(mark, isFirst && prepends !== "never" ? "" : " "));
}

/** Takes a character off the ends of tokens, so many times at most (`decoders/strip.rs`). */
export function stripDecoder(part: PartConfig): (token: string) => string {
  const { start: mostAtStart = 0, stop: mostAtEnd = 0 } = part;
  const content = textOf(part, "content", " ");
  const strip = (
    token: string,
    most: unknown,
    isThere: (rest: string) => boolean,
    cut: (rest: string) => string,
  ) => {
    let rest = token;
    for (let count = 0; count < Number(most) && content !== "" && isThere(rest); count += 1) rest = cut(rest);
    return rest;
  };
  return (token) => {
    const begun = strip(
      token,
      mostAtStart,
      (rest) => rest.startsWith(content),
      (rest) => rest.slice(content.length),
    );
    return strip(
      begun,
      mostAtEnd,
      (rest) => rest.endsWith(content),
      (rest) => rest.slice(0, -content.length),
    );
  };
}

/** Takes a character off the start of all tokens taken together, so many times at most. */
export function stripOfStart(part: PartConfig): DecoderPart {
  return () => {
    let left = Number(part.start ?? 0);
    const content = textOf(part, "content", " ");
    return {
      push(token) {
        let rest = token;
        for (; left > 0 && content !== "" && rest.startsWith(content); left -= 1)
          rest = rest.slice(content.length);
        if (rest !== "") left = 0;
        return [rest];
      },
      end: () => [],
    };
  };
}

/** Joins pieces of words (`decoders/wordpiece.rs`): what has the prefix goes on with a word, all else begins one. */
export function wordPieceDecoder(part: PartConfig): DecoderPart {
  const prefix = textOf(part, "prefix", "##");
  const join = (token: string) => (token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`);
  return eachToken((token, isFirst) => {
    const joined = isFirst ? token : join(token);
    return part.cleanup === false ? joined : cleanUp(joined);
  });
}

/** Replacements by which Rust's `cleanup` joins what English writes together, in their order. */
const CLEAN_UPS = [
  [" .", "."],
  [" ?", "?"],
  [" !", "!"],
  [" ,", ","],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [" do not", " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
] as const;

function cleanUp(text: string): string {
  return CLEAN_UPS.reduce((cleaned, [found, by]) => cleaned.replaceAll(found, by), text);
}

function textOf(part: PartConfig, name: string, otherwise: string): string {
  const { [name]: value = otherwise } = part;
  if (typeof value === "string") return value;
  throw new ValidationError(`${name} of a part of the decoder of this tokenizer.json must be a text`);
}
