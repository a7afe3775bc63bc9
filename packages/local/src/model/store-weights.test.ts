import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { extname, join } from "node:path";
import { TinkexError, ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { TensorPlace } from "../onnx/onnx-graph.js";
import { quantizeRows } from "../quantization/quantize-rows.js";
import type { WeightFormat } from "../quantization/weight-format.js";
import type { GraphWeights } from "./model-tensors.js";
import { openModelWeights } from "./model-weights.js";
import { readModelConfig } from "./read-model-config.js";
import { storeWeights } from "./store-weights.js";
import { linearMatrices, weightShapes } from "./weight-shapes.js";

const models = new URL("../../fixtures/numerics/models/", import.meta.url).pathname;
let root = "";
let folder = "";
beforeEach(() => {
  root = temporaryDirectory();
  folder = join(root, "cache", "weights");
});

function store(directory: string, format?: WeightFormat): GraphWeights {
  const config = readModelConfig(directory);
  const weights = openModelWeights(directory, config);
  try {
    return storeWeights(weights, config, directory, folder, format);
  } finally {
    weights.close();
  }
}

/** A model that may be changed. */
function copyOf(name: string): string {
  const directory = join(root, name);
  cpSync(join(models, name), directory, { recursive: true });
  return directory;
}

/** Bytes of a model of the same shapes: the lowest bit of each byte of the weights is turned. */
function otherWeights(path: string): Buffer {
  const bytes = readFileSync(path);
  const header = Number(bytes.readBigUInt64LE(0));
  return Buffer.concat([bytes.subarray(0, 8 + header), bytes.subarray(8 + header).map((byte) => byte ^ 1)]);
}

/** Puts other weights into a file as `rsync --inplace --times` does, which leaves its time as it was. */
function writeInPlace(path: string): void {
  const { atime, mtime } = statSync(path);
  writeFileSync(path, otherWeights(path), { flag: "r+" });
  utimesSync(path, atime, mtime);
}

const EMBEDDING = "model.embed_tokens.weight";

/** Bytes of the embedding as text, which are compared at once. */
function numbersIn(weights: Pick<GraphWeights, "get">): string {
  const { data } = weights.get(EMBEDDING);
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}

function embeddingOf(directory: string): string {
  const weights = openModelWeights(directory, readModelConfig(directory));
  const text = numbersIn(weights);
  weights.close();
  return text;
}

function storedEmbedding(stored: GraphWeights): string {
  const place = stored.stored?.(EMBEDDING)?.place;
  if (place === undefined) throw new Error("the embedding is not stored");
  const bytes = readFileSync(join(place.folder, place.file));
  return bytes.subarray(place.offset, place.offset + place.byteLength).toString("base64");
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

  it.each([
    ["tiny-llama", "int8"],
    ["tiny-llama-bf16", "int4"],
    ["tiny-qwen2", "int4"],
    ["tiny-llama3", "int8"],
  ] as const)("writes the linear layers of %s as %s, and the embedding as float32", (name, format) => {
    const directory = join(models, name);
    const config = readModelConfig(directory);
    const stored = store(directory, format);
    const weights = openModelWeights(directory, config);
    const bits = format === "int8" ? 8 : 4;
    const bytesAt = ({ file, offset, byteLength }: TensorPlace) =>
      readFileSync(join(folder, file))
        .subarray(offset, offset + byteLength)
        .toString("base64");
    for (const { name: matrix, tensor, shape } of linearMatrices(config)) {
      const found = stored.quantized?.(matrix);
      if (found === undefined || !("file" in found.packed) || !("file" in found.scales)) {
        throw new Error(`${matrix} is not stored`);
      }
      const expected = quantizeRows(weights.get(tensor).data, shape[1], bits, tensor);
      expect(found).toMatchObject({ bits, shape });
      expect(bytesAt(found.packed)).toBe(Buffer.from(expected.packed).toString("base64"));
      expect(bytesAt(found.scales)).toBe(Buffer.from(expected.scales.buffer).toString("base64"));
    }
    expect(storedEmbedding(stored)).toBe(numbersIn(weights));
    expect(stored.stored?.("model.layers.0.mlp.up_proj.weight")).toBeUndefined();
    weights.close();
  });

  it("keeps the files of one model in several forms beside each other, and each of them until the model changes", () => {
    const directory = copyOf("tiny-llama");
    for (const format of ["float32", "int8", "int4"] as const) store(directory, format);
    const kept = filesThere();
    expect(kept.map((name) => extname(name)).sort()).toEqual([
      ".f32",
      ".int4",
      ".int8",
      ".json",
      ".json",
      ".json",
    ]);
    utimesSync(join(directory, "model.safetensors"), 5, 5);
    for (const format of ["float32", "int8", "int4"] as const) store(directory, format);
    expect(filesThere()).toHaveLength(6);
    expect(
      filesThere()
        .filter((name) => kept.includes(name))
        .every((name) => name.endsWith(".json")),
    ).toBe(true);
  });

  it("refuses numbers that cannot be quantized by the name of their tensor, and leaves nothing unfinished", () => {
    const directory = copyOf("tiny-llama");
    const path = join(directory, "model.safetensors");
    const bytes = readFileSync(path);
    const header = Number(bytes.readBigUInt64LE(0));
    const { "model.layers.0.mlp.up_proj.weight": entry } = JSON.parse(bytes.toString("utf8", 8, 8 + header));
    bytes.writeFloatLE(Number.POSITIVE_INFINITY, 8 + header + entry.data_offsets[0] + 40);
    writeFileSync(path, bytes);
    expect(() => store(directory, "int8")).toThrow(ValidationError);
    expect(() => store(directory, "int8")).toThrow(
      /tensor "model\.layers\.0\.mlp\.up_proj\.weight" must hold finite numbers to be quantized, got Infinity/,
    );
    expect(filesThere()).toEqual([]);
    expect(() => store(directory)).not.toThrow();
  });

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
    // With the records of where the two models lie.
    expect(present).toHaveLength(6);
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

  it("writes what it has open when the model is replaced before it is written, and the other weights at the next start", () => {
    const directory = copyOf("tiny-llama");
    const config = readModelConfig(directory);
    const weights = openModelWeights(directory, config);
    const opened = numbersIn(weights);
    const path = join(directory, "model.safetensors");
    writeFileSync(`${path}.new`, otherWeights(path));
    renameSync(`${path}.new`, path);
    const stored = storeWeights(weights, config, directory, folder);
    expect(storedEmbedding(stored)).toBe(opened);
    weights.close();
    expect(storedEmbedding(store(directory))).toBe(embeddingOf(directory));
    expect(storedEmbedding(store(directory))).not.toBe(opened);
  });

  it("tells other bytes of the same length in the same file, also where its time was put back", () => {
    const directory = copyOf("tiny-llama");
    const path = join(directory, "model.safetensors");
    utimesSync(path, 5, 5);
    const before = storedEmbedding(store(directory));
    writeInPlace(path);
    expect(storedEmbedding(store(directory))).toBe(embeddingOf(directory));
    expect(storedEmbedding(store(directory))).not.toBe(before);
  });

  it("keeps nothing that was read while the model's file was written to", () => {
    const directory = copyOf("tiny-llama");
    const path = join(directory, "model.safetensors");
    utimesSync(path, 5, 5);
    const config = readModelConfig(directory);
    const weights = openModelWeights(directory, config);
    let reads = 0;
    const pieces = function* (name: string) {
      reads += 1;
      if (reads === 2) writeInPlace(path);
      yield* weights.pieces(name);
    };
    expect(() => storeWeights({ ...weights, pieces }, config, directory, folder)).toThrow(
      /cannot keep the weights .*the files of the model were changed while they were read, try again/,
    );
    weights.close();
    expect(filesThere()).toEqual([]);
  });

  it("writes the file again for the next graph once somebody has removed it, from the files that it has open", () => {
    const directory = copyOf("tiny-llama");
    const config = readModelConfig(directory);
    const weights = openModelWeights(directory, config);
    const stored = storeWeights(weights, config, directory, folder);
    const before = storedEmbedding(stored);
    const path = join(directory, "model.safetensors");
    writeFileSync(`${path}.new`, otherWeights(path));
    renameSync(`${path}.new`, path);
    for (const removed of [join(folder, filesThere()[0] ?? ""), folder]) {
      rmSync(removed, { recursive: true });
      expect(storedEmbedding(stored)).toBe(before);
    }
    weights.close();
  });

  it("removes the files of models whose directories are gone, and no others", () => {
    const gone = copyOf("tiny-llama");
    const kept = copyOf("tiny-qwen3");
    store(gone);
    const [file = ""] = filesThere();
    store(kept);
    writeFileSync(join(folder, `${file}.0f3c.part`), "unfinished");
    writeFileSync(join(folder, `${"0".repeat(32)}.json`), "{");
    writeFileSync(join(folder, `${"1".repeat(32)}.json`), JSON.stringify({ directory: "relative" }));
    rmSync(gone, { recursive: true });
    store(kept);
    const present = filesThere();
    expect(present.filter((name) => name.startsWith(file.slice(0, 32)))).toEqual([]);
    // The file and the record of the other model, and two records that name nothing.
    expect(present).toHaveLength(4);
  });

  it("leaves nothing unfinished where its name is taken by a folder", () => {
    const directory = copyOf("tiny-llama");
    store(directory);
    const [file = ""] = filesThere();
    rmSync(join(folder, file));
    mkdirSync(join(folder, file));
    const before = filesThere();
    expect(() => store(directory)).toThrow(/cannot keep the weights/);
    expect(filesThere()).toEqual(before);
  });

  it.runIf(existsSync("/proc/self"))("says so where the file system takes no folders", () => {
    folder = "/proc/tinkex/a/weights";
    expect(() => store(join(models, "tiny-llama"))).toThrow(/cannot keep the weights .*ENOENT/);
  });

  it("leaves no file when the model's ends too early", () => {
    const directory = copyOf("tiny-llama");
    const config = readModelConfig(directory);
    const weights = openModelWeights(directory, config);
    const path = join(directory, "model.safetensors");
    truncateSync(path, statSync(path).size / 2);
    expect(() => storeWeights(weights, config, directory, folder)).toThrow(
      /model\.safetensors was written to while it was in use; start the server again/,
    );
    weights.close();
    expect(existsSync(folder) ? filesThere() : []).toEqual([]);
  });
});
