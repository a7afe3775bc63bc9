import { ValidationError } from "@tinkex/base";
import { Datum, type ModelInputChunk, type ProvenanceSpan } from "@tinkex/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { datumFromTokens } from "./datum-from-tokens.js";

const text = (...tokens: number[]): ModelInputChunk => ({ tokens, type: "encoded_text" });
const image = (expected_tokens: number): ModelInputChunk => ({
  data: "",
  format: "png",
  expected_tokens,
  type: "image",
});
const ones = (length: number) => new Array<number>(length).fill(1);

describe("datumFromTokens", () => {
  it("predicts each token from those before it", () => {
    expect(datumFromTokens([7, 8, 9], [0, 0.5, 1], { reduction: "none" })).toEqual({
      model_input: { chunks: [text(7, 8)] },
      loss_fn_inputs: {
        target_tokens: { data: Int32Array.of(8, 9), dtype: "int64", shape: [2] },
        weights: { data: Float32Array.of(0.5, 1), dtype: "float32", shape: [2] },
      },
    });
  });

  it("weighs the targets of an image as 0 stands for them, and keeps the image whole", () => {
    const chunks = [text(1), image(2), text(3, 4)];
    const { model_input, loss_fn_inputs } = datumFromTokens({ chunks }, [0, 0, 0, 1, 1]);
    expect(model_input.chunks).toEqual([text(1), image(2), text(3)]);
    expect(loss_fn_inputs.target_tokens?.data).toEqual(Int32Array.of(0, 0, 3, 4));
  });

  it("drops an image that does not fit, and images behind which nothing is left", () => {
    const chunks = [text(1, 2), image(1), text(), image(3), text(5)];
    const { model_input, loss_fn_inputs } = datumFromTokens({ chunks }, ones(7), { maxLength: 5 });
    expect(model_input.chunks).toEqual([text(1)]);
    expect(loss_fn_inputs.target_tokens?.data).toEqual(Int32Array.of(2));
  });

  it("cookbook 6: leaves no empty chunk", () => {
    const chunks = [text(), text(1), text(), text(2)];
    expect(datumFromTokens({ chunks }, ones(2)).model_input.chunks).toEqual([text(1)]);
  });

  it("cuts spans with the document and shifts them for the targets", () => {
    const spans: ProvenanceSpan[] = [
      { type: "prompt_tokens", sequence_id: "s", length: 2 },
      { type: "sampled_tokens", sequence_id: "s", offset: 4, length: 3 },
    ];
    const datum = datumFromTokens([1, 2, 3, 4, 5], ones(5), { spans, maxLength: 4 });
    expect(datum.model_input_spans).toEqual([
      { type: "prompt_tokens", sequence_id: "s", offset: 0, length: 2 },
      { type: "sampled_tokens", sequence_id: "s", offset: 4, length: 1 },
    ]);
    expect(datum.loss_fn_input_spans).toEqual([
      { type: "prompt_tokens", sequence_id: "s", offset: 1, length: 1 },
      { type: "sampled_tokens", sequence_id: "s", offset: 4, length: 2 },
    ]);
  });

  it("makes spans that fit, however the document is cut", () => {
    const span = fc.record({ length: fc.nat(5), offset: fc.nat(9) });
    fc.assert(
      fc.property(fc.array(span, { minLength: 1 }), fc.integer({ min: 2, max: 20 }), (lengths, maxLength) => {
        const spans = lengths.map((part) => ({ type: "sampled_tokens" as const, sequence_id: "s", ...part }));
        const tokens = spans.flatMap(({ offset, length }) => ones(length).map((_, index) => offset + index));
        fc.pre(tokens.length >= 2);
        const datum = datumFromTokens(tokens, ones(tokens.length), { spans, maxLength });
        const { model_input, loss_fn_inputs, ...both } = datum;
        // Refuses spans that do not cover the input or the targets.
        Datum.of(model_input, loss_fn_inputs, both as Parameters<typeof Datum.of>[2]);
        const covered = datum.loss_fn_input_spans?.flatMap(({ offset = 0, length }) =>
          ones(length).map((_, index) => offset + index),
        );
        // In this test a token is its own position in the sample.
        expect(covered).toEqual([...(loss_fn_inputs.target_tokens?.data ?? [])]);
      }),
    );
  });

  it("sums weights to 1 by default, whatever they were", () => {
    const { weights } = datumFromTokens([1, 2, 3, 4], [9, 1, 0, 3]).loss_fn_inputs;
    expect(weights?.data).toEqual(Float32Array.of(0.25, 0, 0.75));
  });

  it("says what does not fit", () => {
    const fails = (build: () => unknown) => expect(build).toThrow(ValidationError);
    fails(() => datumFromTokens([1, 2, 3], ones(2)));
    fails(() => datumFromTokens([1], ones(1)));
    fails(() => datumFromTokens([1, 2], [1, 0]));
    fails(() => datumFromTokens([1, 2, 3], ones(3), { maxLength: 1 }));
    fails(() => datumFromTokens([1, 2], ones(2), { spans: [] }));
    fails(() => datumFromTokens([1, 2, 3], [0, 1, 1], { reduction: "sum" as "mean" }));
    fails(() => datumFromTokens([1, 2, 3], [0, 0, 0], { untrained: "drop" as "keep" }));
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => datumFromTokens([1, 2, 3], [0, 1, wrong])).toThrow(
        /weights\[2\] must be a finite number.* got (NaN|Infinity)/,
      );
    }
    expect(() => datumFromTokens([1, 2, 3], [0, 1, -1])).toThrow(/sum to 0/);
    expect(
      datumFromTokens([1, 2, 3], [0, 1, -1], { reduction: "none" }).loss_fn_inputs.weights?.data,
    ).toEqual(Float32Array.of(1, -1));
    for (const wrong of [2.5, 2 ** 31, Number.NaN]) {
      expect(() => datumFromTokens([1, wrong], ones(2))).toThrow(/position 1 .* must be a token id/);
    }
    expect(() => datumFromTokens([1, 2, 3], ones(2))).toThrow(
      /weights must cover the 3 tokens of the document, got 2/,
    );
  });
});
