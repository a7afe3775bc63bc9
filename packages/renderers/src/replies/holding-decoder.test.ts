import { expect, it } from "vitest";
import { createHoldingDecoder } from "./holding-decoder.js";

/** A tokenizer whose tokens are bytes. */
const bytes = { decode: (ids: ArrayLike<number>) => new TextDecoder().decode(Uint8Array.from(ids)) };

it("gives out whole characters", () => {
  const decoder = createHoldingDecoder(bytes);
  const given = [...new TextEncoder().encode("aé🜛")].map((id) => decoder.push(id));
  expect(given).toEqual(["a", "", "é", "", "", "", "🜛"]);
  expect(decoder.end()).toBe("");
});

it("gives out an unfinished character at the end, once", () => {
  const decoder = createHoldingDecoder(bytes);
  expect(decoder.push(0xc3)).toBe("");
  expect([decoder.end(), decoder.end()]).toEqual(["\uFFFD", ""]);
});

it("does not hold back for ever what is no text", () => {
  const decoder = createHoldingDecoder(bytes);
  const given = Array.from({ length: 40 }, () => decoder.push(0xff)).filter((text) => text !== "");
  expect(given.length).toBeGreaterThan(0);
  expect(given.join("") + decoder.end()).toBe("\uFFFD".repeat(40));
});
