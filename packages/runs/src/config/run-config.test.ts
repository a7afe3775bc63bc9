import { CANARY_KEY } from "@tinkex-tooling/canary";
import { expect, it } from "vitest";
import { configHash, differingKeys, withoutSecrets } from "./run-config.js";

it("cookbook 19: a configuration loses its secrets, by the name of the field or by their form, however deep they stand", () => {
  const config = {
    api_key: "abc",
    apiKey: "abc",
    hub: { accessToken: "abc", HF_TOKEN: "abc", list: [`Bearer ${CANARY_KEY}`, 3] },
    base_url: "https://me:secret@example.com/v1?x=1",
    max_tokens: 16,
    keys_per_batch: "8",
    tokenizer: "Qwen/Qwen3-8B",
  };
  const shown = JSON.stringify(withoutSecrets(config));
  expect(shown).not.toMatch(/abc|secret|tml-canary/);
  expect(withoutSecrets(config)).toEqual({
    ...config,
    api_key: "[hidden]",
    apiKey: "[hidden]",
    hub: { accessToken: "[hidden]", HF_TOKEN: "[hidden]", list: ["Bearer [hidden]", 3] },
    base_url: "https://[hidden]@example.com/v1?x=1",
  });
});

it("hides every string below a field that is named like a secret, in lists and in objects", () => {
  const config = {
    api_keys: ["sk-live-AAA", "sk-live-BBB"],
    authorization: ["Bearer abc"],
    credentials: { user: "u", parts: [{ pass: "hunter2" }], tries: 3 },
  };
  expect(withoutSecrets(config)).toEqual({
    api_keys: ["[hidden]", "[hidden]"],
    authorization: ["[hidden]"],
    credentials: { user: "[hidden]", parts: [{ pass: "[hidden]" }], tries: 3 },
  });
});

it("shows columns and tokens of a vocabulary, whose names end as those of secrets do, but for what looks like a secret", () => {
  const config = {
    answer_key: "solution",
    eos_token: "<|im_end|>",
    stop_tokens: ["</s>", "<|endoftext|>"],
    sort_key: "length_of_the_longest_answer",
    some_key: "9f86d081884c7d659a2feaa0c55ad015",
    join_key: { password: "hunter2", column: "id" },
  };
  expect(withoutSecrets(config)).toEqual({
    ...config,
    some_key: "[hidden]",
    join_key: { password: "[hidden]", column: "id" },
  });
});

it("hashes a configuration the same whatever the order of its fields, and otherwise when a value differs", () => {
  expect(configHash({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(configHash({ b: { d: [1, 2], c: 2 }, a: 1 }));
  expect(configHash({ a: 1, gone: undefined })).toBe(configHash({ a: 1 }));
  expect(configHash({ a: [1, 2] })).not.toBe(configHash({ a: [2, 1] }));
});

it("names the fields in which configurations differ, with both values", () => {
  const before = { lr: 0.001, model: { name: "m", rank: 8 }, old: true, same: [1] };
  const now = { lr: 0.01, model: { name: "m", rank: 16 }, fresh: "x".repeat(200), same: [1] };
  expect(differingKeys(before, now)).toEqual([
    `fresh (not set, now "${"x".repeat(79)}…)`,
    "lr (0.001, now 0.01)",
    "model.rank (8, now 16)",
    "old (true, now not set)",
  ]);
});
