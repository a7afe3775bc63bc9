import { expect, it } from "vitest";
import { lossInputDtypes } from "./loss-input-dtypes.js";

it("wire-types 18: the keys of the built-in losses have an element type", () => {
  expect(lossInputDtypes).toEqual({
    target_tokens: "int64",
    weights: "float32",
    advantages: "float32",
    logprobs: "float32",
    clip_low_threshold: "float32",
    clip_high_threshold: "float32",
    sequence_ratio_mask: "float32",
  });
});
