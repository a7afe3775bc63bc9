import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { encodeSafetensors } from "./encode-safetensors.js";
import { SafetensorsFile } from "./safetensors-file.js";

const directory = temporaryDirectory();

const model = (name: string) =>
  new URL(`../../fixtures/numerics/models/${name}/model.safetensors`, import.meta.url).pathname;

/** A file with this header and so many bytes of data. */
function write(header: unknown, dataBytes: number): string {
  const json = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const file = join(directory, "written.safetensors");
  writeFileSync(file, Buffer.concat([length, json, Buffer.alloc(dataBytes)]));
  return file;
}

describe("SafetensorsFile", () => {
  it("reads tensors that PyTorch wrote", () => {
    const file = SafetensorsFile.open(model("tiny-llama"));
    const { data, shape } = file.read("model.layers.1.self_attn.k_proj.weight");
    expect(shape).toEqual([32, 64]);
    expect(data).toHaveLength(32 * 64);
    expect(file.shapeOf("model.norm.weight")).toEqual([64]);
    file.close();
  });

  it.each([
    ["tiny-llama-bf16", 2 ** -8],
    ["tiny-llama-f16", 2 ** -11],
  ])("widens %s to within its rounding of the float32 weights", (name, relativeRounding) => {
    const exact = SafetensorsFile.open(model("tiny-llama"));
    const rounded = SafetensorsFile.open(model(name));
    expect(rounded.names).toEqual(exact.names);
    for (const tensor of exact.names) {
      const narrow = rounded.read(tensor).data;
      const wide = exact.read(tensor).data;
      // 2^-24 is the spacing of subnormal float16 numbers.
      expect(
        wide.every((x, i) => Math.abs(x - (narrow[i] ?? NaN)) <= Math.abs(x) * relativeRounding + 2 ** -24),
      ).toBe(true);
    }
    exact.close();
    rounded.close();
  });

  it("reads back what encodeSafetensors wrote, with the data aligned", () => {
    const bytes = encodeSafetensors(
      [
        { name: "a", data: new Float32Array([1, -2.5, 3e-40, 4, 5, 6]), shape: [2, 3] },
        { name: "nothing", data: new Float32Array(0), shape: [0, 7] },
        { name: "scalar", data: new Float32Array([7]), shape: [] },
      ],
      { format: "pt" },
    );
    expect(Number(Buffer.from(bytes.buffer).readBigUInt64LE()) % 8).toBe(0);
    const path = join(directory, "roundtrip.safetensors");
    writeFileSync(path, bytes);
    const file = SafetensorsFile.open(path);
    expect(file.names).toEqual(["a", "nothing", "scalar"]);
    expect([...file.read("a").data]).toEqual([1, -2.5, Math.fround(3e-40), 4, 5, 6]);
    expect(file.read("nothing")).toEqual({ data: new Float32Array(0), shape: [0, 7] });
    expect(file.read("scalar")).toEqual({ data: new Float32Array([7]), shape: [] });
    file.close();
  });

  it("refuses a tensor that is not there, or of a dtype it cannot widen", () => {
    const file = SafetensorsFile.open(write({ ids: { dtype: "I64", shape: [1], data_offsets: [0, 8] } }, 8));
    expect(() => file.read("ids")).toThrow(/"ids".* must be F32, F16 or BF16, got I64/);
    expect(() => file.read("other")).toThrow(/has no tensor "other"/);
    file.close();
  });

  it.each([
    ["no JSON", "{oops", 0, /not a JSON object/],
    ["an array", "[]", 0, /not a JSON object/],
    [
      "an entry without offsets",
      { w: { dtype: "F32", shape: [1] } },
      4,
      /"w" .*lacks dtype, shape or data_offsets/,
    ],
    [
      "8-bit floats",
      { w: { dtype: "F8_E4M3", shape: [4], data_offsets: [0, 4] } },
      4,
      /"w" in .* must be F32, F16 or BF16, got F8_E4M3; save the model unquantised in one of them/,
    ],
    [
      "offsets that contradict the shape",
      { w: { dtype: "F32", shape: [2, 3], data_offsets: [0, 20] } },
      20,
      /shape \[2, 3\] of F32 takes 24 bytes, not 20/,
    ],
    [
      "data beyond the end",
      { w: { dtype: "F32", shape: [2], data_offsets: [4, 12] } },
      8,
      /beyond the end of the file/,
    ],
    ["a negative length", { w: { dtype: "F32", shape: [-1], data_offsets: [0, 4] } }, 4, /"w"/],
  ])("refuses a header with %s", (_, header, dataBytes, message) => {
    expect(() => SafetensorsFile.open(write(header, dataBytes))).toThrow(message);
  });

  const f32 = (begin: number, end: number) => ({
    dtype: "F32",
    shape: [(end - begin) / 4],
    data_offsets: [begin, end],
  });
  it.each([
    ["tensors that share bytes", { a: f32(0, 8), b: f32(4, 12) }, 12, /"b" .*is that of another tensor too/],
    ["one within the other", { a: f32(0, 16), b: f32(4, 8) }, 16, /"b" .*is that of another tensor too/],
    [
      "a thousand times the same bytes",
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`t${i}`, f32(0, 8)])),
      8,
      /of another tensor/,
    ],
    [
      "a name twice",
      '{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
      8,
      /names a tensor twice/,
    ],
    [
      "a name twice, once with escapes",
      '{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"\\u0077":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}',
      8,
      /names a tensor twice/,
    ],
    [
      "a shape whose product overflows",
      { w: { dtype: "F32", shape: new Array(20).fill(2 ** 52), data_offsets: [0, 4] } },
      4,
      /takes Infinity bytes|takes 1\.\d+e/,
    ],
    [
      "a shape that overflows to nothing",
      { w: { dtype: "F32", shape: [2 ** 53, 2 ** 53], data_offsets: [0, 0] } },
      0,
      /"w"/,
    ],
    [
      "a thousand dimensions",
      { w: { dtype: "F32", shape: new Array(1000).fill(1), data_offsets: [0, 4] } },
      4,
      /lacks dtype, shape/,
    ],
    [
      "a million dimensions of the wrong kind",
      { w: { dtype: "F32", shape: new Array(1_000_000).fill("x"), data_offsets: [0, 4] } },
      4,
      /lacks dtype, shape/,
    ],
    [
      "offsets the wrong way round",
      { w: { dtype: "F32", shape: [0], data_offsets: [8, 0] } },
      8,
      /takes 0 bytes, not -8/,
    ],
    [
      "offsets of fractions",
      { w: { dtype: "F32", shape: [1], data_offsets: [0.5, 4.5] } },
      8,
      /lacks dtype, shape/,
    ],
    ["three offsets", { w: { dtype: "F32", shape: [1], data_offsets: [0, 4, 8] } }, 8, /lacks dtype, shape/],
    [
      "offsets beyond 2^53",
      '{"w":{"dtype":"F32","shape":[1],"data_offsets":[9007199254740996,9007199254741000]}}',
      8,
      /lacks dtype, shape/,
    ],
    [
      "a dtype of the prototype",
      { w: { dtype: "constructor", shape: [1], data_offsets: [0, 4] } },
      4,
      /F32, F16 or BF16, got constructor/,
    ],
    ["deep lists", `{"w":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, 0, /more than 64 levels/],
    ["an unfinished list of lists", "[".repeat(5_000_000), 0, /more than 64 levels/],
    ["millions of empty objects", `{"w":[${new Array(3_000_000).fill("{}").join()}]}`, 0, /bytes of memory/],
    ["a very long name", { ["n".repeat(1_000_000)]: 1 }, 0, /^.{0,2000}$/s],
  ])("refuses a header with %s", (_, header, dataBytes, message) => {
    const refusal = () => SafetensorsFile.open(write(header, dataBytes));
    expect(refusal).toThrow(ValidationError);
    expect(refusal).toThrow(message);
  });

  it("refuses a header that is longer than any model's, or than the file, before it is read", () => {
    const file = join(directory, "long.safetensors");
    const length = Buffer.alloc(8);
    for (const bytes of [17_000_000n, 2n ** 62n, 2n ** 64n - 1n]) {
      length.writeBigUInt64LE(bytes);
      writeFileSync(file, length);
      truncateSync(file, 20_000_000);
      expect(() => SafetensorsFile.open(file), `${bytes}`).toThrow(/its header would not fit/);
    }
  });

  it("keeps tensors without elements apart from overlaps, and in the order of the header", () => {
    const file = SafetensorsFile.open(write({ b: f32(8, 16), none: f32(12, 12), a: f32(0, 8) }, 16));
    expect(file.names).toEqual(["b", "none", "a"]);
    file.close();
  });

  it("refuses a file that was cut short, is empty, or is absent", () => {
    const cut = join(directory, "cut.safetensors");
    writeFileSync(cut, readFileSync(model("tiny-llama")).subarray(0, 1000));
    expect(() => SafetensorsFile.open(cut)).toThrow(/cut short/);
    writeFileSync(cut, "");
    expect(() => SafetensorsFile.open(cut)).toThrow(/cut short/);
    expect(() => SafetensorsFile.open(join(directory, "absent"))).toThrow(/cannot open .*absent/);
  });
});
