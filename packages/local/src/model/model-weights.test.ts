import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { encodeSafetensors } from "../safetensors/encode-safetensors.js";
import { SafetensorsFile } from "../safetensors/safetensors-file.js";
import { openModelWeights } from "./model-weights.js";
import { readModelConfig } from "./read-model-config.js";
import { weightShapes } from "./weight-shapes.js";

const models = new URL("../../fixtures/numerics/models/", import.meta.url).pathname;
const directory = temporaryDirectory();
const indexFile = join(directory, "model.safetensors.index.json");

const llama3 = join(models, "tiny-llama3");
const config = readModelConfig(llama3);

/** Splits tiny-llama3 into two files and an index, `change` meddling with what is written. */
function shard(change: (weightMap: Record<string, string>) => void = () => {}): void {
  const whole = SafetensorsFile.open(join(llama3, "model.safetensors"));
  const names = whole.names;
  const halves = [names.slice(0, 9), names.slice(9)];
  const weightMap: Record<string, string> = {};
  halves.forEach((half, i) => {
    const fileName = `model-0000${i + 1}-of-00002.safetensors`;
    const tensors = half.map((name) => ({ name, ...whole.read(name) }));
    writeFileSync(join(directory, fileName), encodeSafetensors(tensors));
    for (const name of half) weightMap[name] = fileName;
  });
  whole.close();
  change(weightMap);
  writeFileSync(indexFile, JSON.stringify({ metadata: { total_size: 1 }, weight_map: weightMap }));
}

beforeEach(() => {
  rmSync(directory, { recursive: true });
  cpSync(llama3, directory, { recursive: true });
  rmSync(join(directory, "model.safetensors"));
});

describe("openModelWeights", () => {
  it.each(["tiny-llama", "tiny-llama3", "tiny-qwen2", "tiny-qwen3"])("finds every tensor of %s", (name) => {
    const path = join(models, name);
    const weights = openModelWeights(path, readModelConfig(path));
    const file = SafetensorsFile.open(join(path, "model.safetensors"));
    expect([...weightShapes(readModelConfig(path)).keys()].sort()).toEqual([...file.names].sort());
    for (const tensor of file.names) expect(weights.get(tensor)).toEqual(file.read(tensor));
    weights.close();
    file.close();
  });

  it("reads a tensor once while it is held", () => {
    const weights = openModelWeights(llama3, config);
    const first = weights.get("model.norm.weight");
    expect(weights.get("model.norm.weight").data).toBe(first.data);
    expect(() => weights.get("model.norm.bias")).toThrow(/no tensor "model\.norm\.bias"/);
    weights.close();
  });

  it("reads a model in several files like one in a single file", () => {
    shard();
    const single = openModelWeights(llama3, config);
    const sharded = openModelWeights(directory, config);
    for (const name of weightShapes(config).keys()) expect(sharded.get(name)).toEqual(single.get(name));
    single.close();
    sharded.close();
  });

  it("refuses a directory without weights", () => {
    expect(() => openModelWeights(directory, config)).toThrow(/neither model\.safetensors nor .*index\.json/);
  });

  it("names a missing tensor", () => {
    shard((weightMap) => delete weightMap["lm_head.weight"]);
    expect(() => openModelWeights(directory, config)).toThrow(/lacks the tensor "lm_head\.weight"/);
  });

  it("names a missing file, and refuses one outside the directory", () => {
    shard((weightMap) => {
      weightMap["lm_head.weight"] = "model-00003-of-00003.safetensors";
    });
    expect(() => openModelWeights(directory, config)).toThrow(/cannot open .*model-00003-of-00003/);
    shard((weightMap) => {
      weightMap["lm_head.weight"] = "../model.safetensors";
    });
    expect(() => openModelWeights(directory, config)).toThrow(/must be a file of the same directory/);
  });

  it("names a tensor whose shape is not the configuration's", () => {
    expect(() => openModelWeights(llama3, { ...config, intermediateSize: 113 })).toThrow(
      /gate_proj\.weight" .*has shape \[112, 64\]; config\.json implies \[113, 64\]/,
    );
  });

  it.each([
    ["tiny-llama", { layerCount: 1 }, "model.layers.1.input_layernorm.weight"],
    ["tiny-qwen2", { attentionBias: false }, "model.layers.0.self_attn.k_proj.bias"],
    ["tiny-qwen3", { queryKeyNorm: false }, "model.layers.0.self_attn.k_norm.weight"],
  ])("refuses a model whose config.json leaves out a part of it: %s", (name, change, tensor) => {
    const path = join(models, name);
    expect(() => openModelWeights(path, { ...readModelConfig(path), ...change })).toThrow(
      `the model in ${path} has the tensor "${tensor}", for which its config.json has no place`,
    );
  });

  it("passes over frequencies, and tensors beside the layers, that old models hold", () => {
    const whole = SafetensorsFile.open(join(llama3, "model.safetensors"));
    const tensors = whole.names.map((name) => ({ name, ...whole.read(name) }));
    whole.close();
    const others = ["model.layers.1.self_attn.rotary_emb.inv_freq", "model.other.weight"];
    const more = others.map((name) => ({ name, data: new Float32Array(8), shape: [8] }));
    writeFileSync(join(directory, "model.safetensors"), encodeSafetensors([...tensors, ...more]));
    rmSync(indexFile, { force: true });
    expect(() => openModelWeights(directory, config).close()).not.toThrow();
  });

  it.each(["I32", "U32"])(
    "refuses a tensor of %s at once, also in one of many files, and names it",
    (dtype) => {
      shard();
      const file = "model-00002-of-00002.safetensors";
      const path = join(directory, file);
      const text = readFileSync(path, "latin1");
      writeFileSync(path, text.replace('"dtype":"F32"', `"dtype":"${dtype}"`), "latin1");
      expect(() => openModelWeights(directory, config)).toThrow(
        new RegExp(
          `tensor ".*" in .*${file} must be F32, F16 or BF16, got ${dtype}; save the model unquantised`,
        ),
      );
    },
  );
});
