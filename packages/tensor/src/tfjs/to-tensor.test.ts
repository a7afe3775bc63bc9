import { ValidationError } from "@tinkex/base";
import fc from "fast-check";
import { expect, it } from "vitest";
import { TensorData } from "../tensor-data.js";
import {
  float32Tensors,
  int32Tensors,
  int64Tensors,
  ROUND_TRIPS,
  sameBits,
} from "../testing/tensor-arbitraries.js";
import { describeOnEachBackend } from "./testing/describe-on-each-backend.js";
import { tf } from "./tf.js";
import { toTensor } from "./to-tensor.js";

describeOnEachBackend("toTensor", () => {
  it("keeps shape and bits, there and back, and leaves no tensor behind", () => {
    const before = tf.memory().numTensors;
    fc.assert(
      fc.property(fc.oneof(float32Tensors, int32Tensors), (given) => {
        const tensor = toTensor(given);
        const back = TensorData.from(tensor);
        tensor.dispose();
        expect(back.dtype).toBe(given.dtype);
        expect(back.shape).toEqual(given.shape);
        // Bytes, since some values are NaN and numbers would hide which.
        expect(ArrayBuffer.isView(back.data) && sameBits(back.data, given.data)).toBe(true);
      }),
      ROUND_TRIPS,
    );
    expect(tf.memory().numTensors).toBe(before);
  });

  it("computes with what it was given", async () => {
    const [left, right] = [
      toTensor(TensorData.from([1, 2], { dtype: "float32" })),
      toTensor(TensorData.from([3n, 4n], { dtype: "int64" })),
    ];
    const product = tf.tidy(() => tf.mul(left, tf.cast(right, "float32")));
    expect(await TensorData.fromAsync(product)).toEqual({
      data: Float32Array.of(3, 8),
      dtype: "float32",
      shape: [2],
    });
    tf.dispose([left, right, product]);
  });

  it("narrows int64 to int32, or names the first element that does not fit (BR-092)", () => {
    fc.assert(
      fc.property(int64Tensors, (given) => {
        const fits = (value: bigint) => BigInt.asIntN(32, value) === value;
        const tooLarge = given.data.findIndex((value) => !fits(value));
        if (tooLarge === -1) {
          const tensor = toTensor(given);
          expect(tensor.dtype).toBe("int32");
          expect(Array.from(tensor.dataSync(), BigInt)).toEqual(Array.from(given.data));
          tensor.dispose();
          return;
        }
        const refused = new ValidationError(
          `data[3].loss_fn_inputs.target_tokens[${tooLarge}]: ${given.data[tooLarge]} does not fit int32, the widest integer of tfjs; read it with toTypedArray`,
          { path: ["data", 3, "loss_fn_inputs", "target_tokens", tooLarge] },
        );
        expect(() => toTensor(given, { key: "target_tokens", datumIndex: 3 })).toThrow(refused);
      }),
      ROUND_TRIPS,
    );
    const token = toTensor(TensorData.from([17378479], { key: "target_tokens" }));
    expect(TensorData.from(token).data).toEqual(Int32Array.of(17378479));
    token.dispose();
  });

  it("unfolds a sparse tensor, with the padding that is asked for", () => {
    const tensor = toTensor(
      {
        data: [7],
        dtype: "int64",
        shape: [2, 2],
        sparse_crow_indices: [0, 0, 1],
        sparse_col_indices: [1],
      },
      { padValue: -1 },
    );
    expect(tensor.arraySync()).toEqual([
      [-1, -1],
      [-1, 7],
    ]);
    tensor.dispose();
  });
});

describeOnEachBackend("TensorData.from of a tf.Tensor", () => {
  it("reads any rank and dtype that has a counterpart", async () => {
    const tensors = [tf.scalar(2), tf.tensor([[[[[1, 2]]]]], undefined, "int32"), tf.tensor([true, false])];
    const expected = [
      { data: Float32Array.of(2), dtype: "float32", shape: [] },
      { data: Int32Array.of(1, 2), dtype: "int64", shape: [1, 1, 1, 1, 2] },
      { data: Int32Array.of(1, 0), dtype: "int64", shape: [2] },
    ];
    expect(tensors.map((tensor) => TensorData.from(tensor))).toEqual(expected);
    expect(await Promise.all(tensors.map((tensor) => TensorData.fromAsync(tensor)))).toEqual(expected);
    tf.dispose(tensors);
  });

  it("takes floats for tokens where they are integers, and names the one that is not", () => {
    const whole = tf.tensor([5, 6]);
    expect(TensorData.from(whole, { key: "target_tokens" }).data).toEqual(Int32Array.of(5, 6));
    const broken = tf.tensor([5, 6.5]);
    expect(() => TensorData.from(broken, { key: "target_tokens", datumIndex: 1 })).toThrow(
      "data[1].loss_fn_inputs.target_tokens[1]: expected an integer, got 6.5",
    );
    tf.dispose([whole, broken]);
  });

  it("says of a tensor that was disposed of, by the end of tf.tidy too, that it cannot be read, and how to keep it", async () => {
    const gone = tf.tensor([1]);
    gone.dispose();
    const tidied = { tensor: gone };
    tf.tidy(() => {
      tidied.tensor = tf.tensor([2]);
    });
    const problem =
      /^data\[0\]\.loss_fn_inputs\.weights: the tf\.Tensor cannot be read \(Tensor is disposed\.\); cast it before .* tf\.keep$/;
    const place = { key: "weights", datumIndex: 0 };
    for (const tensor of [gone, tidied.tensor]) {
      expect(() => TensorData.from(tensor, place)).toThrow(problem);
      await expect(TensorData.fromAsync(tensor, place)).rejects.toThrow(problem);
    }
  });

  it("refuses strings", () => {
    const strings = tf.tensor(["a"]);
    expect(() => TensorData.from(strings, { key: "weights" })).toThrow(
      "loss_fn_inputs.weights: a tf.Tensor of dtype string has no counterpart; cast it first",
    );
    strings.dispose();
  });
});
