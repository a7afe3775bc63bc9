import { expect, it } from "vitest";
import { nameOfSameWords } from "./name-of-same-words.js";

const names = ["base_model", "dataDirectory", "max_tokens", "rank", "top_k", "top_p", "ttl_seconds"];

it.each([
  ["model", "base_model"],
  ["dataDir", "dataDirectory"],
  ["ttl", "ttl_seconds"],
  ["max_new_tokens", "max_tokens"],
  ["lora_rank", "rank"],
  ["temperature", undefined],
  ["top", undefined],
  ["k", undefined],
  ["", undefined],
])("%s has the words of %s", (name, expected) => {
  expect(nameOfSameWords(name, names)).toBe(expected);
});
