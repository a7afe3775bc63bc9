import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { readModelConfig } from "../model/read-model-config.js";
import { encodeSafetensors } from "../safetensors/encode-safetensors.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";
import { readAdapterDirectory, writeAdapterDirectory } from "./adapter-directory.js";
import { type AdapterParameters, createAdapterParameters } from "./adapter-parameters.js";
import { newOptimizerState } from "./adapter-tensors.js";

const fixtures = new URL("../../fixtures/numerics/", import.meta.url).pathname;
const config = readModelConfig(join(fixtures, "models/tiny-llama"));
const root = temporaryDirectory();

const shape = { rank: 4, trainAttention: true, trainMlp: false, trainUnembedding: true };
const parameters = createAdapterParameters(config, shape, 3);
const weightsOnly = { includesOptimizer: false };

/** An adapter directory of its own for a test, with changes to its configuration. */
async function written(name: string, change: Record<string, unknown> = {}): Promise<string> {
  const directory = join(root, name);
  await writeAdapterDirectory(directory, { parameters }, "tinkex/tiny");
  const file = join(directory, "adapter_config.json");
  const json = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...json, ...change }));
  return directory;
}

describe("writeAdapterDirectory and readAdapterDirectory", () => {
  it("give back weights, moments and step count exactly", async () => {
    const directory = join(root, "with-optimizer");
    const optimizer = newOptimizerState(parameters);
    optimizer.step = 7;
    optimizer.m.forEach(({ a, b }, i) => {
      a.fill(i + 0.5);
      b.fill(-i);
    });
    optimizer.v[0]?.a.fill(1e-30);
    const bytes = await writeAdapterDirectory(directory, { parameters, optimizer }, "tinkex/tiny");
    const names = ["adapter_config.json", "adapter_model.safetensors", "optimizer.safetensors"];
    expect(readdirSync(directory).sort()).toEqual(names);
    expect(bytes).toBe(names.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0));
    expect(await readAdapterDirectory(directory, config, { includesOptimizer: true })).toEqual({
      parameters,
      optimizer,
    });
    expect(await readAdapterDirectory(directory, config, weightsOnly)).toEqual({ parameters });
  });

  it("describe the adapter as PEFT does", async () => {
    const directory = await written("described");
    expect(JSON.parse(readFileSync(join(directory, "adapter_config.json"), "utf8"))).toMatchObject({
      peft_type: "LORA",
      task_type: "CAUSAL_LM",
      base_model_name_or_path: "tinkex/tiny",
      r: 4,
      lora_alpha: 32,
      target_modules: ["k_proj", "lm_head", "o_proj", "q_proj", "v_proj"],
    });
  });

  it("refuse to restore an optimizer that was not saved", async () => {
    const directory = await written("weights-only");
    await expect(readAdapterDirectory(directory, config, { includesOptimizer: true })).rejects.toThrow(
      /saved without optimizer state; load its weights alone/,
    );
  });

  it.each([
    ["a step that is none", "step", [-1], "must be one whole number from 0, got -1; load the weights alone"],
    ["half a step", "step", [0.5], "must be one whole number from 0, got 0.5"],
    ["a step that is not a number", "step", [Number.NaN], "must be one whole number from 0, got NaN"],
    ["no step at all", "step", [], "must be one whole number from 0, got 0 numbers"],
    ["two steps", "step", [1, 1], "must be one whole number from 0, got 2 numbers"],
    ["a square below 0", "v.", [-1], 'has a negative number among the tensors "v.…"'],
  ])("refuse to restore an optimizer with %s", async (title, tensor, numbers, message) => {
    const directory = join(root, title.replaceAll(" ", "-"));
    await writeAdapterDirectory(directory, { parameters, optimizer: newOptimizerState(parameters) }, "tiny");
    const path = join(directory, "optimizer.safetensors");
    const file = SafetensorsFile.open(path);
    const place = file.names.find((name) => name.startsWith(tensor));
    const changed = file.names.map((name) => {
      const read = file.read(name);
      if (name === "step" && tensor === name) {
        return { name, data: Float32Array.from(numbers), shape: [numbers.length] };
      }
      if (name === place) read.data.set(numbers);
      return { name, ...read };
    });
    file.close();
    writeFileSync(path, encodeSafetensors(changed));
    const reading = readAdapterDirectory(directory, config, { includesOptimizer: true });
    await expect(reading).rejects.toThrow(ValidationError);
    await expect(reading).rejects.toThrow(message);
    expect(await readAdapterDirectory(directory, config, weightsOnly)).toEqual({ parameters });
  });

  it("reading leaves what lies beside the directory, such as a write under way", async () => {
    const directory = await written("read");
    const beside = join(root, ".read.partial");
    mkdirSync(beside);
    await readAdapterDirectory(directory, config, weightsOnly);
    expect(existsSync(beside)).toBe(true);
  });

  it("refuse to write where something is", async () => {
    const directory = await written("taken");
    const before = readFileSync(join(directory, "adapter_model.safetensors"));
    const other = createAdapterParameters(config, shape, 4);
    const writing = writeAdapterDirectory(directory, { parameters: other }, "tinkex/tiny");
    await expect(writing).rejects.toThrow(/taken is there already/);
    expect(readFileSync(join(directory, "adapter_model.safetensors"))).toEqual(before);
  });

  it("say that whole groups are needed when a projection has no adapter", async () => {
    const directory = await written("single-projections");
    const path = join(directory, "adapter_model.safetensors");
    const file = SafetensorsFile.open(path);
    const kept = file.names.filter((name) => !name.includes("k_proj"));
    writeFileSync(path, encodeSafetensors(kept.map((name) => ({ name, ...file.read(name) }))));
    file.close();
    await expect(readAdapterDirectory(directory, config, weightsOnly)).rejects.toThrow(
      /k_proj\.lora_A\.weight" is missing .* whole groups in every layer \(q, k, v and o;/,
    );
  });

  it.each([
    ["adapter_config.json", "a symbolic link"],
    ["adapter_model.safetensors", "a symbolic link"],
    ["optimizer.safetensors", "a symbolic link"],
    ["adapter_model.safetensors", "something else"],
  ])("read %s from its own place only, not through %s", async (file, what) => {
    const directory = await written(`astray-${file}-${what.length}`);
    const elsewhere = `${directory}-elsewhere`;
    rmSync(join(directory, file), { force: true });
    writeFileSync(elsewhere, "{}");
    if (what === "a symbolic link") symlinkSync(elsewhere, join(directory, file));
    else mkdirSync(join(directory, file));
    await expect(readAdapterDirectory(directory, config, weightsOnly)).rejects.toThrow(
      `${join(directory, file)} must be a regular file, got ${what}: put the file itself there`,
    );
  });

  it("refuse a directory that does not exist", async () => {
    await expect(readAdapterDirectory(join(root, "absent"), config, weightsOnly)).rejects.toThrow(
      /no adapter directory .*absent: name one that an adapter was saved to/,
    );
  });

  it.each([
    ["another kind of adapter", { peft_type: "IA3" }, /peft_type "IA3"/],
    ["another alpha", { lora_alpha: 16 }, /lora_alpha 16 \(only 32\)/],
    ["trained biases", { bias: "all" }, /bias "all"/],
    ["rank-stabilised scaling", { use_rslora: true }, /use_rslora/],
    ["DoRA", { use_dora: true }, /use_dora/],
    ["ranks that differ by module", { rank_pattern: { q_proj: 2 } }, /rank_pattern/],
    ["no rank", { r: undefined }, /adapter_config\.json is not as expected.*\br\b/],
    ["a rank that its tensors do not have", { r: 5 }, /lora_A\.weight" has shape \[4, 64\].*\[5, 64\]/],
  ])("refuse %s", async (name, change, message) => {
    const directory = await written(name.replaceAll(" ", "-"), change);
    const reading = readAdapterDirectory(directory, config, weightsOnly);
    await expect(reading).rejects.toThrow(ValidationError);
    await expect(reading).rejects.toThrow(message);
  });

  it("refuse the adapter of another model", async () => {
    const directory = await written("foreign");
    const narrower = readAdapterDirectory(directory, { ...config, keyValueHeadCount: 1 }, weightsOnly);
    await expect(narrower).rejects.toThrow(/k_proj\.lora_B\.weight" has shape \[32, 4\].*\[16, 4\]/);
    const shallower = readAdapterDirectory(directory, { ...config, layerCount: 1 }, weightsOnly);
    await expect(shallower).rejects.toThrow(/layers\.1\..*for which the base model has no layer/);
    const deeper = readAdapterDirectory(directory, { ...config, layerCount: 3 }, weightsOnly);
    await expect(deeper).rejects.toThrow(/layers\.2\.self_attn\.q_proj\.lora_A\.weight" is missing/);
  });
});

describe("golden adapters", () => {
  const golden = (name: string) => join(fixtures, "lora", name);
  const expectPairs = (pairs: AdapterParameters["pairs"], rank: number) => {
    for (const { a, b, dIn, dOut } of pairs) {
      expect(a).toHaveLength(rank * dIn);
      expect(b).toHaveLength(dOut * rank);
    }
  };

  it.each([
    ["llama-r8-all", "tiny-llama", 8, 15, [true, true, true]],
    ["llama3-r4-all", "tiny-llama3", 4, 15, [true, true, true]],
    ["qwen2-r8-mlp-unembed", "tiny-qwen2", 8, 7, [false, true, true]],
    ["qwen3-r4-attn", "tiny-qwen3", 4, 8, [true, false, false]],
  ])("%s loads onto %s", async (name, model, rank, modules, [trainAttention, trainMlp, trainUnembedding]) => {
    const stored = await readAdapterDirectory(
      join(golden(name), "adapter"),
      readModelConfig(join(fixtures, "models", model)),
      weightsOnly,
    );
    expect(stored.parameters.shape).toEqual({ rank, trainAttention, trainMlp, trainUnembedding });
    expect(stored.parameters.pairs).toHaveLength(modules);
    expectPairs(stored.parameters.pairs, rank);
  });

  it("comes out as it went in, file for file", async () => {
    const stored = await readAdapterDirectory(join(golden("llama-r8-all"), "adapter"), config, weightsOnly);
    const copy = join(root, "golden-copy");
    await writeAdapterDirectory(copy, stored, "tiny-llama");
    const before = SafetensorsFile.open(join(golden("llama-r8-all"), "adapter", "adapter_model.safetensors"));
    const after = SafetensorsFile.open(join(copy, "adapter_model.safetensors"));
    expect([...after.names].sort()).toEqual([...before.names].sort());
    for (const name of before.names) expect(after.read(name)).toEqual(before.read(name));
    before.close();
    after.close();
    const peft = (directory: string) =>
      JSON.parse(readFileSync(join(directory, "adapter_config.json"), "utf8"));
    expect(peft(copy)).toEqual(peft(join(golden("llama-r8-all"), "adapter")));
  });
});
