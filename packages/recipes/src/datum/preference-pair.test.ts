import type { Datum } from "@tinkex/types";
import { expect, it, vi } from "vitest";
import { isOfOneAnswer } from "./preference-pair.js";

const IMAGE_BYTES = 2 ** 20;

function datumOf(target: number, lastByte = 0, tokens: readonly number[] = [1]): Datum {
  const data = new Uint8Array(IMAGE_BYTES).fill(lastByte, IMAGE_BYTES - 1);
  return {
    model_input: {
      chunks: [
        { type: "image", format: "png", data, expected_tokens: 1 },
        { type: "encoded_text", tokens },
      ],
    },
    loss_fn_inputs: {
      target_tokens: { data: Int32Array.of(1, target), dtype: "int64", shape: [2] },
      weights: { data: Float32Array.of(0, 1), dtype: "float32", shape: [2] },
    },
  };
}

it("tells a pair of one answer by its targets, its text and its images, of which it makes no text", () => {
  const stringify = vi.spyOn(JSON, "stringify");
  try {
    const told = [datumOf(2), datumOf(3), datumOf(2, 1), datumOf(2, 0, [2])].map((rejected) =>
      isOfOneAnswer({ chosen: datumOf(2), rejected }),
    );
    expect(told).toEqual([true, false, false, false]);
    expect(stringify).not.toHaveBeenCalled();
  } finally {
    stringify.mockRestore();
  }
});

it("does not look at the prompt of answers that differ", () => {
  const chosen = {
    ...datumOf(2),
    model_input: new Proxy(datumOf(2).model_input, { get: () => expect.unreachable() }),
  };
  expect(isOfOneAnswer({ chosen, rejected: datumOf(3) })).toBe(false);
});
