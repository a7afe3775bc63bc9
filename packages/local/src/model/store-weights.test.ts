import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TinkexError } from "@tinkex/base";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GraphWeights, openModelWeights } from "./model-weights.js";
import { readModelConfig } from "./read-model-config.js";
import { storeWeights } from "./store-weights.js";
import { weightShapes } from "./weight-shapes.js";

const models = new URL("../../fixtures/numerics/models/", import.meta.url).pathname;
let root = "";
let folder = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tinkex-store-"));
  folder = join(root, "cache", "weights");
});
afterEach(() => rmSync(root, { recursive: true }));

function store(directory: string): GraphWeights {
  const config = readModelConfig(directory);
  const weights = openModelWeights(directory, config);
  const stored = storeWeights(weights, config, directory, folder);
  weights.close();
  return stored;
}

/** A model that may be changed. */
function copyOf(name: string): string {
  const directory = join(root, name);
  cpSync(join(models, name), directory, { recursive: true });
  return directory;
}

const filesThere = () => readdirSync(folder).sort();

describe("storeWeights", () => {
  it.each(["tiny-llama", "tiny-llama-bf16", "tiny-llama-f16", "tiny-qwen2", "tiny-qwen3"])(
    "writes every matrix of %s as float32 where it says, and no vector",
    (name) => {
      const directory = join(models, name);
      const config = readModelConfig(directory);
      const stored = store(directory);
      const weights = openModelWeights(directory, config);
      for (const [tensor, shape] of weightShapes(config)) {
        const found = stored.stored?.(tensor);
        if (shape.length < 2) {
          expect(found, tensor).toBeUndefined();
          continue;
        }
        if (found === undefined) throw new Error(`${tensor} is not stored`);
        const { file, offset, byteLength } = found.place;
        const bytes = readFileSync(join(folder, file)).subarray(offset, offset + byteLength);
        const { data } = weights.get(tensor);
        expect(found.shape).toEqual(shape);
        expect(bytes.equals(new Uint8Array(data.buffer, data.byteOffset, data.byteLength)), tensor).toBe(
          true,
        );
      }
      weights.close();
    },
  );

  it("makes folder and file for this user alone", () => {
    store(join(models, "tiny-llama"));
    const [file = ""] = filesThere();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it("finds the file of an earlier engine, and writes it again when it was cut short", () => {
    const directory = join(models, "tiny-llama");
    store(directory);
    const [file = ""] = filesThere();
    const path = join(folder, file);
    const written = readFileSync(path);
    utimesSync(path, 1, 1);
    store(directory);
    expect(statSync(path).mtimeMs).toBe(1000);
    truncateSync(path, 100);
    store(directory);
    expect(readFileSync(path).equals(written)).toBe(true);
  });

  it("replaces the file of a model whose weights are others now, and leaves what is not of that model", () => {
    const directory = copyOf("tiny-llama");
    store(directory);
    const [replaced = ""] = filesThere();
    store(copyOf("tiny-qwen3"));
    const other = filesThere().find((name) => name !== replaced);
    for (const name of ["mine.f32", "notes.part", `${replaced}.0f3c.part`])
      writeFileSync(join(folder, name), "mine");
    utimesSync(join(directory, "model.safetensors"), 5, 5);
    store(directory);
    const present = filesThere();
    expect(present).toEqual(expect.arrayContaining(["mine.f32", "notes.part", other]));
    expect(present).toHaveLength(4);
    expect(present).not.toContain(replaced);
  });

  it("says what could not be written where, and leaves nothing unfinished", () => {
    const directory = copyOf("tiny-llama");
    mkdirSync(join(root, "cache"));
    writeFileSync(folder, "a file in the way");
    expect(() => store(directory)).toThrow(TinkexError);
    expect(() => store(directory)).toThrow(
      /cannot keep the weights of the model in .*tiny-llama as float32 in .*EEXIST.*; it takes \d+ bytes there/,
    );
    rmSync(folder);
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), folder);
    expect(() => store(directory)).toThrow(/must be a folder, got a link/);
    expect(readdirSync(join(root, "elsewhere"))).toEqual([]);
  });

  it("leaves no file when the model's ends too early", () => {
    const directory = copyOf("tiny-llama");
    const config = readModelConfig(directory);
    const weights = openModelWeights(directory, config);
    const path = join(directory, "model.safetensors");
    truncateSync(path, statSync(path).size / 2);
    expect(() => storeWeights(weights, config, directory, folder)).toThrow(/was cut short/);
    weights.close();
    expect(existsSync(folder) ? filesThere() : []).toEqual([]);
  });
});
