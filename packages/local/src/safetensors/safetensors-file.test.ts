import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { encodeSafetensors } from "./encode-safetensors.js";
import { SafetensorsFile } from "./safetensors-file.js";

const directory = mkdtempSync(join(tmpdir(), "tinkex-safetensors-"));
afterAll(() => rmSync(directory, { recursive: true }));

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
    expect(() => file.read("ids")).toThrow(/"ids".* is I64; F32, F16 and BF16 can be read/);
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
      /"w" in .* is F8_E4M3; F32, F16 and BF16 can be read\. Save the model unquantised in one of them/,
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

  it("refuses a file that was cut short, is empty, or is absent", () => {
    const cut = join(directory, "cut.safetensors");
    writeFileSync(cut, readFileSync(model("tiny-llama")).subarray(0, 1000));
    expect(() => SafetensorsFile.open(cut)).toThrow(/cut short/);
    writeFileSync(cut, "");
    expect(() => SafetensorsFile.open(cut)).toThrow(/cut short/);
    expect(() => SafetensorsFile.open(join(directory, "absent"))).toThrow(/Cannot open .*absent/);
  });
});
