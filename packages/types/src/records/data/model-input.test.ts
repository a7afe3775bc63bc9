import { type ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { ModelInput, modelInputSchema } from "./model-input.js";
import { checkSent } from "../../schema/check-record.js";

const image = { data: Uint8Array.of(1), format: "png" } as const;

describe("ModelInput", () => {
  it("wire-types 27: an empty list makes one chunk, empty() makes none", () => {
    expect(ModelInput.fromInts([])).toEqual({ chunks: [{ tokens: [], type: "encoded_text" }] });
    expect(ModelInput.length(ModelInput.fromInts([]))).toBe(0);
    expect(ModelInput.toInts(ModelInput.fromInts([]))).toEqual([]);
    expect(ModelInput.empty().chunks).toEqual([]);
  });

  it("wire-types 27: append leaves the original as it is and merges nothing", () => {
    const input = ModelInput.fromInts([1]);
    const longer = ModelInput.appendInt(input, 2);
    expect(input.chunks).toHaveLength(1);
    expect(longer.chunks).toHaveLength(2);
    expect(ModelInput.toInts(longer)).toEqual([1, 2]);
  });

  it("wire-types 27: toInts throws for an image", () => {
    const input = ModelInput.append(ModelInput.fromInts([1]), image);
    expect(() => ModelInput.toInts(input)).toThrow("chunks[1] is image, not text");
  });

  it("wire-types 27: length counts expected tokens, and throws without them", () => {
    const input = ModelInput.append(ModelInput.fromInts([1, 2]), { ...image, expected_tokens: 5 });
    expect(ModelInput.length(input)).toBe(7);
    expect(() => ModelInput.length(ModelInput.append(input, image))).toThrow(
      "chunks[2] is image without expected_tokens",
    );
  });

  it("reads typed arrays and untyped chunks", () => {
    const input = { chunks: [{ tokens: Int32Array.of(1, 2) }, { tokens: [3] }] };
    expect(ModelInput.toInts(input)).toEqual([1, 2, 3]);
    expect(checkSent(modelInputSchema, input, "ModelInput")).toEqual(input);
  });

  it("survives structuredClone and JSON", () => {
    const input = ModelInput.fromInts([1, 2]);
    expect(structuredClone(input)).toEqual(input);
    expect(JSON.parse(JSON.stringify(input))).toEqual(input);
  });

  it.each<[object, string, (string | number)[]]>([
    [
      { chunks: [{ tokens: [1, 2.5] }] },
      "must be a token id (an integer of 32 bits), got 2.5",
      ["chunks", 0, "tokens", 1],
    ],
    [{ chunks: [{ tokens: [2 ** 31] }] }, "got 2147483648", ["chunks", 0, "tokens", 0]],
    [{ chunks: [{ token: [1] }] }, "must be a list of token ids", ["chunks", 0, "tokens"]],
    [{ chunks: [{ type: "encoded_txt" }] }, 'did you mean "encoded_text"?', ["chunks", 0]],
    [
      { chunks: [{ type: "video" }] },
      'type: must be one of "encoded_text", "image", "image_asset_pointer", "dmel", got "video"',
      ["chunks", 0],
    ],
    [
      { chunks: [{ data: "", format: "gif" }] },
      'must be one of "png", "jpeg", got "gif"',
      ["chunks", 0, "format"],
    ],
    [{ chunk: [] }, 'unknown field "chunk", did you mean "chunks"?', ["chunks"]],
  ])("refuses %j", (input, message, path) => {
    const check = () => checkSent(modelInputSchema, input, "ModelInput");
    expect(check).toThrow(message);
    try {
      check();
    } catch (error) {
      expect((error as ValidationError).path).toEqual(path);
    }
  });
});
