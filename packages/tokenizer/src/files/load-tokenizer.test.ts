import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, expect, it } from "vitest";
import { loadTokenizer } from "./load-tokenizer.js";

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});

const MODEL = JSON.stringify({ model: { type: "BPE", vocab: { a: 0 }, merges: [] } });

it("needs tokenizer.json alone", async () => {
  await writeFile(join(directory, "tokenizer.json"), MODEL);
  expect((await loadTokenizer(directory)).encode("a")).toEqual([0]);
});

it("names the directory that has no tokenizer.json", async () => {
  await expect(loadTokenizer(directory)).rejects.toThrow(ValidationError);
  await expect(loadTokenizer(directory)).rejects.toThrow(`no tokenizer.json in ${directory}`);
});

it("names the file that is cut off", async () => {
  await writeFile(join(directory, "tokenizer.json"), MODEL.slice(0, 20));
  await expect(loadTokenizer(directory)).rejects.toThrow(`tokenizer.json in ${directory} is not JSON`);
});

it("names the config that is no object", async () => {
  await writeFile(join(directory, "tokenizer.json"), MODEL);
  await writeFile(join(directory, "tokenizer_config.json"), "[]");
  await expect(loadTokenizer(directory)).rejects.toThrow("tokenizer_config.json in");
});

it("reads the chat template that has a file of its own", async () => {
  await writeFile(join(directory, "tokenizer.json"), MODEL);
  await writeFile(join(directory, "tokenizer_config.json"), JSON.stringify({ chat_template: "old" }));
  await writeFile(join(directory, "chat_template.jinja"), "new");
  expect((await loadTokenizer(directory)).chatTemplates.get("default")).toBe("new");
});

// Templates that AutoTokenizer of transformers 5.24 reads of the same files: they replace the config's, and folders and other files do
// not count. `save_pretrained` writes them so for a model with a template for tools, such as NousResearch/Hermes-2-Pro-Llama-3-8B.
it.each([
  [{ "chat_template.jinja": "FD" }, { default: "FD" }],
  [{ "additional_chat_templates/rag.jinja": "FR" }, { rag: "FR" }],
  [
    { "chat_template.jinja": "FD", "additional_chat_templates/tool_use.jinja": "FT" },
    { default: "FD", tool_use: "FT" },
  ],
  [
    {
      "chat_template.jinja": "FD",
      "additional_chat_templates/default.jinja": "XD",
      "additional_chat_templates/sub.jinja/a.jinja": "S",
      "additional_chat_templates/n.txt": "N",
    },
    { default: "XD" },
  ],
  [{}, { default: "CD", tool_use: "CT" }],
])("reads the templates beside it: %j", async (files, templates) => {
  const chat_template = [
    { name: "default", template: "CD" },
    { name: "tool_use", template: "CT" },
  ];
  await writeFile(join(directory, "tokenizer.json"), MODEL);
  await writeFile(join(directory, "tokenizer_config.json"), JSON.stringify({ chat_template }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, dirname(name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  expect(Object.fromEntries((await loadTokenizer(directory)).chatTemplates)).toEqual(templates);
});
