import { describe, expect, it } from "vitest";
import { Datum, datumSchema } from "./datum.js";
import { ModelInput } from "./model-input.js";
import type { ProvenanceSpan } from "./provenance-span.js";
import { checkSent } from "../../schema/check-record.js";

const targets = { target_tokens: { data: [2, 3, 4], dtype: "int64", shape: [3] } } as const;
const prompt = (length: number): ProvenanceSpan => ({ type: "prompt_tokens", sequence_id: "q", length });
const sampled = (length: number): ProvenanceSpan => ({
  type: "sampled_tokens",
  sequence_id: "q",
  offset: 0,
  length,
});

describe("Datum", () => {
  it("takes tokens or a whole input", () => {
    const datum = Datum.of([1, 2, 3], targets);
    expect(datum.model_input).toEqual(ModelInput.fromInts([1, 2, 3]));
    expect(Datum.of(ModelInput.fromInts([1, 2, 3]), targets)).toEqual(datum);
  });

  it("newest-wire 4: spans that cover input and targets", () => {
    const spans = { model_input_spans: [prompt(2), sampled(1)], loss_fn_input_spans: [sampled(3)] };
    expect(Datum.of([1, 2, 3], targets, spans)).toMatchObject(spans);
  });

  it("newest-wire 4: spans that do not cover", () => {
    const wrongInput = { model_input_spans: [prompt(2)], loss_fn_input_spans: [sampled(3)] };
    expect(() => Datum.of([1, 2, 3], targets, wrongInput)).toThrow(
      "model_input_spans cover 2 positions, the model input has 3",
    );
    const wrongLoss = { model_input_spans: [prompt(3)], loss_fn_input_spans: [sampled(4)] };
    expect(() => Datum.of([1, 2, 3], targets, wrongLoss)).toThrow(
      "loss_fn_input_spans cover 4 positions, target_tokens has 3",
    );
  });

  it("newest-wire 4: loss spans of a matrix of targets are not counted", () => {
    const matrix = { target_tokens: { data: [1, 2, 3, 4], dtype: "int64", shape: [2, 2] } } as const;
    const spans = { model_input_spans: [prompt(2)], loss_fn_input_spans: [sampled(9)] };
    expect(() => Datum.of([1, 2], matrix, spans)).not.toThrow();
  });

  it("newest-wire 4: one list without the other, empty ids, negative numbers", () => {
    const datum = Datum.of([1, 2, 3], targets);
    const check = (extra: object) => () => checkSent(datumSchema, { ...datum, ...extra }, "Datum");
    expect(check({ model_input_spans: [prompt(3)] })).toThrow("a datum has both span lists or none");
    const both = (span: object) => ({ model_input_spans: [span], loss_fn_input_spans: [sampled(3)] });
    expect(check(both({ ...prompt(3), sequence_id: "" }))).toThrow("model_input_spans[0].sequence_id");
    expect(check(both(prompt(-1)))).toThrow("model_input_spans[0].length");
    expect(check(both({ ...prompt(3), offset: -1 }))).toThrow("model_input_spans[0].offset");
  });

  it("newest-wire 4: an image hides the length", () => {
    const input = { chunks: [{ data: "", format: "png" } as const] };
    const spans = { model_input_spans: [prompt(1)], loss_fn_input_spans: [sampled(3)] };
    expect(() => Datum.of(input, targets, spans)).toThrow("chunks[0] is image without expected_tokens");
  });
});
