import { type ForwardBackwardRequest, ModelInput, type TensorData as TensorRecord } from "@tinkex/types";
import {
  decodeForwardBackwardRequest,
  decodeFutureResult,
  encodeForwardBackwardOutput,
  encodeForwardBackwardRequest,
} from "@tinkex/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TensorData } from "./tensor-data.js";
import {
  float32Tensors,
  int32Tensors,
  int64Tensors,
  jsonFloat32Tensors,
  ROUND_TRIPS,
  safeInt64Tensors,
  sameBits,
  sparseMatrices,
} from "./testing/tensor-arbitraries.js";
import { toDense } from "./to-dense.js";
import { toNested } from "./to-nested.js";
import { toNumbers } from "./to-numbers.js";
import { toSparse } from "./to-sparse.js";
import { toTypedArray } from "./to-typed-array.js";

const anyTensor = fc.oneof(float32Tensors, int64Tensors);

function requestOf(tensor: TensorRecord, model_id = "model"): ForwardBackwardRequest {
  return {
    model_id,
    seq_id: 1,
    forward_backward_input: {
      loss_fn: "cross_entropy",
      data: [{ model_input: ModelInput.fromInts([1]), loss_fn_inputs: { weights: tensor } }],
    },
  };
}

function weightsOf({ forward_backward_input: { data } }: ForwardBackwardRequest): TensorRecord {
  return data[0]?.loss_fn_inputs.weights ?? expect.fail("the tensor is gone");
}

/** What a server reads of a tensor that a client sends. */
function throughRequest(tensor: TensorRecord, wire: "protobuf" | "json"): TensorRecord {
  const { body, contentType } = encodeForwardBackwardRequest(requestOf(tensor), { wire, generation: "0.4" });
  return weightsOf(decodeForwardBackwardRequest(contentType, body));
}

/** What a client reads of a tensor that a server answers with. */
function throughResult(tensor: TensorRecord): TensorRecord {
  const { body, contentType } = encodeForwardBackwardOutput({
    loss_fn_output_type: "ArrayRecord",
    loss_fn_outputs: [{ logprobs: tensor }],
    metrics: {},
  });
  const outcome = decodeFutureResult("ForwardBackwardOutput", {
    status: 200,
    headers: { "content-type": contentType },
    body,
  });
  if (outcome.state !== "complete") expect.fail(outcome.state);
  return outcome.result.loss_fn_outputs[0]?.logprobs ?? expect.fail("the tensor is gone");
}

describe("a tensor comes back as it was", () => {
  it("from TensorData: the same array, not a copy", () => {
    fc.assert(
      fc.property(fc.oneof(anyTensor, int32Tensors), (tensor) => {
        const { data, shape } = TensorData.from(tensor);
        expect(data).toBe(tensor.data);
        expect(shape).toEqual(tensor.shape);
      }),
      ROUND_TRIPS,
    );
  });

  it("from nested lists", () => {
    fc.assert(
      fc.property(fc.oneof(float32Tensors, safeInt64Tensors, int32Tensors), (tensor) => {
        const { dtype, shape } = tensor;
        const back = TensorData.from(toNested(tensor), { dtype, shape });
        expect(back.shape).toEqual(shape);
        // Numbers keep every value, but not the payload of a NaN.
        expect(toNumbers(back)).toEqual(toNumbers(tensor));
      }),
      ROUND_TRIPS,
    );
  });

  it("from CSR and back, but for the sign of zeros that are padding", () => {
    let sparseOnes = 0;
    fc.assert(
      fc.property(sparseMatrices, fc.constantFrom(0, -1), (tensor, padValue) => {
        const sparse = toSparse(tensor, { padValue });
        if (sparse !== tensor) sparseOnes++;
        const dense = toDense(sparse, { padValue });
        const signless = (data: TensorRecord["data"]) =>
          data instanceof Float32Array && padValue === 0
            ? data.map((value) => value || Math.abs(value))
            : data;
        expect(signless(dense.data)).toEqual(signless(tensor.data));
        expect(dense.shape).toEqual(tensor.shape);
      }),
      ROUND_TRIPS,
    );
    expect(sparseOnes).toBeGreaterThan(100);
  });

  it("from a protobuf request, to the bit", () => {
    fc.assert(
      fc.property(anyTensor, (tensor) => {
        const read = throughRequest(TensorData.from(tensor), "protobuf");
        expect(sameBits(toTypedArray(read), tensor.data)).toBe(true);
        // Protobuf cannot tell a scalar from a tensor without a shape.
        expect(read.shape ?? []).toEqual(tensor.shape);
      }),
      ROUND_TRIPS,
    );
  });

  it("from a protobuf result, to the bit", () => {
    fc.assert(
      fc.property(anyTensor, (tensor) => {
        const read = throughResult(TensorData.from(tensor));
        expect(sameBits(toTypedArray(read), tensor.data)).toBe(true);
        expect(read.data).toBe(toTypedArray(read));
      }),
      ROUND_TRIPS,
    );
  });

  it("as a view on the bytes received where these are aligned, and else as a copy", () => {
    const views = Array.from({ length: 8 }, (_, padding) => {
      const values = Float32Array.of(0.5, padding);
      const { body, contentType } = encodeForwardBackwardRequest(
        requestOf(TensorData.from(values), "m".repeat(padding + 1)),
        { wire: "protobuf", generation: "0.38" },
      );
      // Memory of its own, which begins where any element is aligned.
      const received = body.slice();
      const { data } = weightsOf(decodeForwardBackwardRequest(contentType, received));
      expect(data).toEqual(values);
      expect(toTypedArray({ data, dtype: "float32" })).toBe(data);
      return ArrayBuffer.isView(data) && data.buffer === received.buffer;
    });
    expect(views.filter((isView) => isView)).toHaveLength(2);
  });

  it("from a JSON request, every finite value", () => {
    fc.assert(
      fc.property(fc.oneof(jsonFloat32Tensors, int64Tensors), (tensor) => {
        const read = throughRequest(TensorData.from(tensor), "json");
        expect(read.shape).toEqual(tensor.shape);
        expect(sameBits(toTypedArray(TensorData.from(read)), tensor.data)).toBe(true);
      }),
      ROUND_TRIPS,
    );
  });

  it("refuses to write into JSON what JSON cannot hold", () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const tensor = TensorData.from(Float32Array.of(1, value));
      expect(() => throughRequest(tensor, "json")).toThrow(/loss_fn_inputs\.weights.*\[1\]/);
    }
  });
});
