import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { loadRecordedTokenizer, recordedEncodings } from "../testing/recorded-tokenizers.js";
import { createTokenizer } from "./create-tokenizer.js";
import { createStreamDecoder } from "./stream-decoder.js";
import type { TextTokenizer } from "./text-tokenizer.js";

const tiny = await loadRecordedTokenizer("tiny");

/** The same tokenizer as any object of the `Tokenizer` shape would be: it can only decode lists of ids. */
const opaque = (tokenizer: TextTokenizer) => ({
  vocabularySize: tokenizer.vocabularySize,
  encode: tokenizer.encode,
  decode: tokenizer.decode,
  tokenId: tokenizer.tokenId,
});

const recorded = recordedEncodings("tiny");
const lists = [...recorded.strings.map(({ name, ids }) => ({ name, ids })), ...recorded.decode];

describe.each([
  ["bytes", tiny],
  ["a window", opaque(tiny)],
])("a stream decoder by %s", (_kind, tokenizer) => {
  it.each(lists)("gives the text of plain decoding: $name", ({ ids }) => {
    const stream = createStreamDecoder(tokenizer);
    const parts = ids.map((id) => stream.push(id));
    expect(parts.join("") + stream.end()).toBe(tiny.decode(ids));
  });

  it("never gives half a character", () => {
    const text = "caf\u00e9 \u{1f980} \u4f60\u597d \u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
    const stream = createStreamDecoder(tokenizer);
    const parts = tokenizer.encode(text).map((id) => stream.push(id));
    expect(parts.join("")).toBe(text);
    expect(parts.filter((part) => /\uFFFD|\p{Surrogate}/u.test(part))).toEqual([]);
    expect(stream.end()).toBe("");
  });

  it("gives what is unfinished at the end, and starts anew", () => {
    const stream = createStreamDecoder(tokenizer);
    const [first = -1, ...rest] = tokenizer.encode("\u{1f980}");
    expect(stream.push(first)).toBe("");
    expect(stream.end()).toBe("\uFFFD");
    expect(stream.push([first, ...rest])).toBe("\u{1f980}");
    expect(stream.end()).toBe("");
  });

  it("leaves special tokens out when asked to", () => {
    const ids = tokenizer.encode("a<|im_end|> b", { allowedSpecial: "all" });
    const skipping = createStreamDecoder(tokenizer, { skipSpecialTokens: true });
    expect(skipping.push(ids) + skipping.end()).toBe("a b");
    const showing = createStreamDecoder(tokenizer);
    expect(showing.push(ids) + showing.end()).toBe("a<|im_end|> b");
  });

  // Received tensors of int64 may be read as bigints, as `decode` takes them.
  it("takes ids from typed arrays, of bigints too", () => {
    const text = "caf\u00e9 <|im_end|>\u{1f980} b";
    const ids = tokenizer.encode(text, { allowedSpecial: "all" });
    for (const list of [Int32Array.from(ids), Float64Array.from(ids), BigInt64Array.from(ids, BigInt)]) {
      const given: ArrayLike<number> = Object(list);
      const stream = createStreamDecoder(tokenizer, { skipSpecialTokens: true });
      expect(stream.push(given) + stream.end()).toBe(text.replace("<|im_end|>", ""));
    }
  });

  it.each([["1"], [undefined], [null], [{}]])("refuses %o among the ids, with its place", (id) => {
    const [first = 0] = tokenizer.encode("a");
    const given: number[] = Object([first, id]);
    const stream = createStreamDecoder(tokenizer);
    expect(() => stream.push(given)).toThrow(ValidationError);
    expect(() => stream.push(given)).toThrow("push: ids[1] must be a token id, got");
  });

  it("does not wait for ever on ids that are no text", () => {
    const stream = createStreamDecoder(tokenizer);
    const continuation = tiny.tokenId("\u0122"); // the byte 0x80, which begins no character
    expect(stream.push(new Array(100).fill(continuation))).toContain("\uFFFD");
  });
});

it("keeps the spaces of vocabularies that write them as \u2581", () => {
  const vocab = { "\u2581Hi": 0, "\u2581you": 1, "!": 2 };
  const tokenizer = createTokenizer({
    tokenizer: {
      model: { type: "BPE", vocab, merges: [] },
      decoder: { type: "Metaspace", replacement: "\u2581", prepend_scheme: "always" },
    },
  });
  expect(tokenizer.tokenBytes).toBeUndefined();
  expect(tokenizer.decode([0, 1, 2])).toBe("Hi you!");
  const stream = createStreamDecoder(tokenizer);
  expect([stream.push(0), stream.push(1), stream.push(2), stream.end()]).toEqual(["Hi", " you", "!", ""]);
});
