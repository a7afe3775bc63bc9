import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stopCondition } from "./stop-condition.js";

/** A vocabulary of pieces, in bytes, as byte-level tokenizers have. */
const pieces = [
  Buffer.from("ab"),
  Buffer.from("c"),
  Buffer.from([0xe2, 0x82]),
  Buffer.from([0xac]),
  Buffer.from("<|end|>"),
];
const decode = (ids: readonly number[]) =>
  Buffer.concat(ids.map((id) => pieces[id] ?? Buffer.alloc(0))).toString("utf8");

/** How many tokens are generated until the condition is met. */
function length(
  tokens: readonly number[],
  ids: readonly number[],
  texts: readonly string[],
): number | undefined {
  const condition = stopCondition(ids, texts, decode);
  const met = tokens.findIndex((_, i) => condition.isMet(tokens.slice(0, i + 1)));
  return met === -1 ? undefined : met + 1;
}

describe("stopCondition", () => {
  it("is met by a stop id", () => {
    expect(length([0, 1, 4, 1], [4, 9], [])).toBe(3);
    expect(length([0, 1, 0], [4], [])).toBeUndefined();
  });

  it("is met by the token that completes a stop text, be it longer than the text", () => {
    expect(length([1, 0, 0, 1], [], ["ba"])).toBe(3);
    expect(length([1, 1, 0], [], ["a"])).toBe(3);
    expect(length([1, 1, 0], [], ["x", "cc"])).toBe(2);
  });

  it("finds a character that two tokens make together", () => {
    expect(length([1, 2, 3, 1], [], ["€"])).toBe(3);
  });

  it("finds the text of a special token", () => {
    expect(length([1, 4, 1], [], ["<|end|>"])).toBe(2);
  });

  it("is met where the text of the whole first has a stop text, whatever tokens there are", () => {
    const token = fc.nat(pieces.length);
    const stops = fc.array(fc.constantFrom("a", "bc", "cab", "€", "c€", "d|>a", "€€", "|><|"), {
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.array(token, { maxLength: 80 }), stops, (tokens, texts) => {
        const first = tokens.findIndex((_, i) => {
          const text = decode(tokens.slice(0, i + 1));
          return texts.some((stop) => text.includes(stop));
        });
        expect(length(tokens, [], texts)).toBe(first === -1 ? undefined : first + 1);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["that have text", 1],
    ["of which each is a third of a character", 2],
  ])("decodes no more for each of many tokens %s", (_, id) => {
    let decoded = 0;
    const condition = stopCondition([], ["never said"], (ids) => {
      decoded += ids.length;
      return decode(ids);
    });
    const tokens: number[] = [];
    for (let i = 0; i < 1000; i++) {
      tokens.push(id);
      expect(condition.isMet(tokens)).toBe(false);
    }
    expect(decoded).toBeLessThan(1000 * 100);
  });

  it("is never met without any condition, and decodes nothing then", () => {
    const condition = stopCondition([], [], () => {
      throw new Error("decoded");
    });
    expect(condition.isMet([1, 2, 3])).toBe(false);
  });
});
