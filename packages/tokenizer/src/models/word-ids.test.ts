import { expect, it, vi } from "vitest";
import { rememberWordIds } from "./word-ids.js";

it("encodes a short word once and a long one each time", () => {
  const encode = vi.fn((word: string) => [word.length]);
  const ids = rememberWordIds(encode);
  expect([ids("ab"), ids("ab"), ids("c")]).toEqual([[2], [2], [1]]);
  expect(encode).toHaveBeenCalledTimes(2);
  const long = "x".repeat(65);
  expect([ids(long), ids(long)]).toEqual([[65], [65]]);
  expect(encode).toHaveBeenCalledTimes(4);
});

it("forgets when it has too many", () => {
  const encode = vi.fn((word: string) => [Number(word)]);
  const ids = rememberWordIds(encode);
  for (let word = 0; word < 50_001; word++) ids(String(word));
  expect(ids("0")).toEqual([0]);
  expect(encode).toHaveBeenCalledTimes(50_002);
});
