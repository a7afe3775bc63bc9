import type { Datum, ProvenanceSpan } from "@tinkex/types";
import { encodeForwardBackwardRequest } from "@tinkex/wire";
import { describe, expect, it } from "vitest";
import { DATUM_SIZES, splitIntoChunks } from "./split-into-chunks.js";

/** A datum of as many tokens as spans, each of which is a sample of its own. */
function datumWithSpans(count: number): Datum {
  const tokens = Array.from({ length: count }, () => 1);
  const spans = tokens.map(
    (_, offset): ProvenanceSpan => ({
      type: "sampled_tokens",
      sequence_id: "00000000-0000-4000-8000-000000000001:sample:0:0:0",
      offset,
      length: 1,
    }),
  );
  return {
    model_input: { chunks: [{ tokens }] },
    loss_fn_inputs: { target_tokens: { data: tokens, dtype: "int64", shape: [count] } },
    model_input_spans: spans,
    loss_fn_input_spans: spans,
  };
}

/** Bytes of a request of one datum. */
function bodyBytes(datum: Datum): number {
  const forward_backward_input = { data: [datum], loss_fn: "cross_entropy" } as const;
  const request = { model_id: "m", seq_id: 1, forward_backward_input };
  return encodeForwardBackwardRequest(request, { wire: "protobuf", generation: "0.38" }).body.byteLength;
}

describe("spans of provenance", () => {
  it("count in the estimate of a datum, which then is no less than it takes in a body", () => {
    const [many, none] = [datumWithSpans(100), { ...datumWithSpans(100) }];
    delete (none as { model_input_spans?: unknown }).model_input_spans;
    delete (none as { loss_fn_input_spans?: unknown }).loss_fn_input_spans;
    const added = bodyBytes(many) - bodyBytes(none);
    const estimated = DATUM_SIZES.protobuf(many) - DATUM_SIZES.protobuf(none);
    expect(added).toBeGreaterThan(10_000);
    expect(estimated).toBeGreaterThanOrEqual(added);
    expect(estimated).toBeLessThan(1.5 * added);
  });

  it("make chunks smaller, where they are most of the data", () => {
    const data = Array.from({ length: 4 }, () => datumWithSpans(10));
    const sizeOf = DATUM_SIZES.protobuf;
    const limits = { maxLength: 100, maxSize: 2 * sizeOf(datumWithSpans(10)), measure: "protobuf" } as const;
    expect(splitIntoChunks(data, limits).map((chunk) => chunk.data.length)).toEqual([2, 2]);
    expect(sizeOf(datumWithSpans(10))).toBeGreaterThan(1_000);
  });

  it("that are absent or empty count nothing", () => {
    const plain: Datum = { model_input: { chunks: [{ tokens: [1] }] }, loss_fn_inputs: {} };
    const empty = { ...plain, model_input_spans: [], loss_fn_input_spans: [] };
    expect([DATUM_SIZES.protobuf(plain), DATUM_SIZES.protobuf(empty)]).toEqual([4, 4]);
  });
});
