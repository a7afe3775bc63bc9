import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { resolveTokenizer } from "./resolve-tokenizer.js";

const LLAMA_3 = "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer";

it.each([
  ["Qwen/Qwen3-8B", "Qwen/Qwen3-8B"],
  ["Qwen/Qwen3.5-397B-A17B:peft:262144", "Qwen/Qwen3.5-397B-A17B"],
  ["meta-llama/Llama-3.1-8B-Instruct", LLAMA_3],
  ["meta-llama/Llama-3.1-8B/variant", LLAMA_3],
  ["meta-llama/Llama-2-7b", "meta-llama/Llama-2-7b"],
  ["openai/gpt-oss-120b/low", "openai/gpt-oss-120b"],
  ["a/b/c/d", "a/b/c/d"],
  ["gpt2", "gpt2"],
])("clients 89: the tokenizer of %s is %s", (model, id) => {
  expect(resolveTokenizer(model)).toEqual({ id, needsRemoteCode: false });
  expect(resolveTokenizer(model, null)).toEqual({ id, needsRemoteCode: false });
});

it.each([
  ["moonshotai/Kimi-K2-Thinking", "moonshotai/Kimi-K2-Thinking", "612681931a8c906ddb349f8ad0f582cb552189cd"],
  ["moonshotai/Kimi-K2.5", "moonshotai/Kimi-K2.5", "4d01dfe0332d63057c186e0b262165819efb6611"],
  ["moonshotai/Kimi-K2.5-Text-Only", "moonshotai/Kimi-K2.5", "4d01dfe0332d63057c186e0b262165819efb6611"],
  ["moonshotai/Kimi-K2.6:peft:131072", "moonshotai/Kimi-K2.6", "b5aabbfb20227ed42becbf5541dbffd213942c58"],
  ["moonshotai/Kimi-K2.6/x", "moonshotai/Kimi-K2.6", "b5aabbfb20227ed42becbf5541dbffd213942c58"],
  ["moonshotai/Kimi-K3", "moonshotai/Kimi-K3", "f831ab66814297da540d832a5235f8e904f29d06"],
])("clients 90: the tokenizer of %s is taken at a pinned commit", (model, id, revision) => {
  expect(resolveTokenizer(model)).toEqual({ id, revision, needsRemoteCode: false });
});

describe("clients 91: an explicit tokenizer id", () => {
  it.each(["meta-llama/Llama-3.1-8B", "a/b/c"])("%s is taken as it is", (id) => {
    expect(resolveTokenizer("Qwen/Qwen3-8B", id)).toEqual({ id, needsRemoteCode: false });
  });

  it("keeps the pins", () => {
    expect(resolveTokenizer("any/model", "moonshotai/Kimi-K2.5").revision).toMatch(/^4d01dfe/);
  });

  it("is refused when it is empty", () => {
    expect(() => resolveTokenizer("Qwen/Qwen3-8B", "")).toThrow(ValidationError);
    expect(() => resolveTokenizer(":peft:1")).toThrow(/no tokenizer for the model name ":peft:1"/);
  });
});

it.each(["TML/x", "thinkingmachines/x"])("clients 92: %s is in no public repository", (id) => {
  expect(resolveTokenizer(id)).toEqual({ id, needsRemoteCode: true, family: "tml" });
});

it("takes no name for a pin because every object has it", () => {
  expect(resolveTokenizer("constructor")).toEqual({ id: "constructor", needsRemoteCode: false });
});
