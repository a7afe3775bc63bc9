import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { readPostProcessor } from "./post-processor.js";

const TEXT = { Sequence: { id: "A", type_id: 0 } };
const token = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
const ids = (...list: readonly unknown[]) => ({ ids: list });
const template = (single: unknown, special_tokens: unknown = { "<s>": ids(2), "</s>": ids(3) }) => ({
  type: "TemplateProcessing",
  single,
  special_tokens,
});
const sequence = (...processors: readonly unknown[]) => ({ type: "Sequence", processors });
const BERT = { type: "BertProcessing", sep: ["</s>", 3], cls: ["<s>", 2] };
const BYTES = { type: "ByteLevel", add_prefix_space: true, trim_offsets: false, use_regex: true };

describe("readPostProcessor", () => {
  // Each is what Python's `tokenizers` 0.23.3 puts around the ids of a text.
  it.each([
    ["nothing", null, [], []],
    ["a ByteLevel", BYTES, [], []],
    ["an empty sequence", sequence(), [], []],
    ["a template", template([token("<s>"), TEXT, token("</s>")]), [2], [3]],
    ["a template of the text alone", template([TEXT]), [], []],
    ["several tokens", template([token("<s>"), token("<s>"), TEXT, token("<s>")]), [2, 2], [2]],
    ["a name that stands for two", template([token("begin"), TEXT], { begin: ids(2, 4) }), [2, 4], []],
    ["an id that the vocabulary lacks", template([token("<s>"), TEXT], { "<s>": ids(9) }), [9], []],
    ["BERT's", BERT, [2], [3]],
    ["BERT's with other ids", { ...BERT, sep: ["zz", 7], cls: ["yy", 8] }, [8], [7]],
    ["RoBERTa's", { ...BERT, type: "RobertaProcessing", trim_offsets: true }, [2], [3]],
    ["Llama 3's", sequence(BYTES, template([token("<s>"), TEXT])), [2], []],
    ["BERT's in sequences", sequence(sequence(BERT), BYTES), [2], [3]],
    ["BERT's twice", sequence(BERT, BERT), [2, 2], [3, 3]],
    ["a template around BERT's", sequence(BERT, template([token("</s>"), TEXT])), [3, 2], [3]],
  ])("reads %s", (_name, section, prefix, suffix) => {
    expect(readPostProcessor(section)).toEqual({ prefix, suffix });
  });

  // huggingface/tokenizers gives [2, 0, 1] for the first: its second template takes "<s>" for one text and the text for another.
  it.each([
    [
      "two templates",
      sequence(template([token("<s>"), TEXT]), template([token("</s>"), TEXT])),
      /behind those/,
    ],
    ["BERT's behind a template", sequence(template([token("<s>"), TEXT]), BERT), /behind those/],
    ["the text twice", template([TEXT, token("<s>"), TEXT]), /only tokens beside the text/],
    ["no text", template([token("<s>")]), /"A"}} in single, got none/],
    ["the text of a pair", template([{ Sequence: { id: "B", type_id: 0 } }]), /in single, got none/],
    ["a template as a string", template("<s> $A"), /an array as single, got a string/],
    ["a token without ids", template([token("<x>"), TEXT]), /got "<x>" without/],
    ["a token named like a method", template([token("toString"), TEXT]), /got "toString" without/],
    ["an id that is none", template([token("<s>"), TEXT], { "<s>": ids(-1) }), /got "<s>" without/],
    ["a piece that is none", template([1, TEXT]), /got something else/],
    ["BERT's without an id", { ...BERT, cls: ["<s>"] }, /a token and its id as cls, got an array/],
    ["a part of another kind", { type: "Telepathy" }, /Telepathy/],
  ])("refuses %s", (_name, section, message) => {
    expect(() => readPostProcessor(section)).toThrow(ValidationError);
    expect(() => readPostProcessor(section)).toThrow(message);
  });
});
