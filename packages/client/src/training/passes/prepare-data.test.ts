import { ResponseError, ValidationError } from "@tinkex/base";
import type { LossFnType } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import { SpareMemories } from "../../inputs/spare-memories.js";
import { datum, seqIdOf } from "../../testing/examples.js";
import { openTraining, step } from "../../testing/open-training.js";
import { type DatumLike, prepareData, preparePass } from "./prepare-data.js";

const like = (loss_fn_inputs: DatumLike["loss_fn_inputs"]): DatumLike => ({
  model_input: [1, 2],
  loss_fn_inputs,
});
const policy = { target_tokens: [1, 2], logprobs: [-1, -1], advantages: [1, 1] };

describe("a datum", () => {
  it.each<[LossFnType, DatumLike["loss_fn_inputs"], string]>([
    ["cross_entropy", { weights: [1, 1] }, "target_tokens is missing: cross_entropy reads it"],
    ["ppo", { target_tokens: [1, 2], logprobs: [-1, -1] }, "advantages is missing: ppo reads it"],
    ["importance_sampling", { target_tokens: [1, 2], advantages: [1, 1] }, "logprobs is missing"],
    ["dro", { target_tokens: [1, 2] }, "logprobs is missing"],
    ["cispo", { logprobs: [1, 2], advantages: [1, 2] }, "target_tokens is missing"],
    ["gspo", { advantages: [1, 2] }, "target_tokens is missing"],
    [
      "cross_entropy",
      { target_tokens: [1, 2], weights: [1] },
      "weights must have as many elements as target_tokens (2), got 1",
    ],
    [
      "ppo",
      { ...policy, logprobs: [-1, -1, -1] },
      "logprobs must have as many elements as target_tokens (2), got 3",
    ],
    [
      "cross_entropy",
      { target_tokens: [1, -100] },
      "target_tokens must hold token ids of 0 or more, got -100 at index 1",
    ],
    [
      "cross_entropy",
      { target_tokens: new BigInt64Array([1n, -1n]) },
      "target_tokens must hold token ids of 0 or more, got -1 at index 1",
    ],
    [
      "cross_entropy",
      { target_tokens: [1, 2, 3] },
      "target_tokens must have 2, the positions of model_input, as its first size, got shape [3]",
    ],
    ["cross_entropy", { target_tokens: [1] }, "target_tokens must have 2, the positions of model_input"],
    ["gspo", { target_tokens: [1] }, "target_tokens must have 2, the positions of model_input"],
    [
      "cross_entropy",
      { target_tokens: [[1, 2]], weights: [[1, 1]] },
      "target_tokens must have 2, the positions of model_input, as its first size, got shape [1, 2]",
    ],
    [
      "cross_entropy",
      {
        target_tokens: {
          data: [5],
          dtype: "int64",
          shape: [3, 2],
          sparse_crow_indices: [0, 0, 1, 1],
          sparse_col_indices: [1],
        },
      },
      "target_tokens must have 2, the positions of model_input, as its first size, got shape [3, 2]",
    ],
    [
      "cross_entropy",
      {
        target_tokens: [
          [1, 2, 3],
          [4, 5, 6],
        ],
        weights: [
          [1, 0],
          [0, 1],
          [1, 1],
        ],
      },
      "weights must have the first size of target_tokens (2), got shape [3, 2]",
    ],
    [
      "ppo",
      { ...policy, mask: Float32Array.of(1, 1, 0) },
      "mask must have as many elements as target_tokens (2), got 3",
    ],
    [
      "gspo",
      { ...policy, sequence_ratio_mask: [1] },
      "sequence_ratio_mask must have as many elements as target_tokens (2), got 1",
    ],
    [
      "ppo",
      { ...policy, clip_low_threshold: [0.8] },
      "clip_low_threshold must have as many elements as target_tokens (2), got 1",
    ],
  ])("for %s is refused before anything is sent: %#", async (lossFn, inputs, message) => {
    const { stub, training } = await openTraining();
    expect(() => training.forwardBackward([like(policy), like(inputs)], lossFn)).toThrow(ValidationError);
    expect(() => training.forwardBackward([like(policy), like(inputs)], lossFn)).toThrow(
      `data[1].loss_fn_inputs.${message}`,
    );
    await step(training);
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([1]);
    expect(stub.seen("forward_backward")).toEqual([]);
  });

  it("may have targets and weights of several candidates, and the largest id", async () => {
    const { training } = await openTraining();
    const inputs = {
      target_tokens: [
        [1, 2],
        [3, 2 ** 31 + 5],
      ],
      weights: [
        [1, 0],
        [0, 1],
      ],
    };
    await training.forwardBackward([like(inputs)], "cross_entropy");
    await training.forward([like(policy)], "ppo");
  });

  it.each([
    [{ expected_tokens: 3 }, 5, true],
    [{ expected_tokens: 3 }, 2, false],
    // Only the service can count an image that declares no tokens.
    [{}, 2, true],
  ])(
    "with an image %j and %i targets is counted as the image declares: %s",
    async (declared, count, isTaken) => {
      const { training } = await openTraining();
      const image = { data: new Uint8Array(4), format: "png", type: "image", ...declared } as const;
      const datum = {
        model_input: { chunks: [{ tokens: [1] }, image, { tokens: [2] }] },
        loss_fn_inputs: { target_tokens: Array.from({ length: count }, () => 7) },
      };
      const run = () => training.forwardBackward([datum], "cross_entropy");
      if (isTaken) await run();
      else expect(run).toThrow("target_tokens must have 5, the positions of model_input");
    },
  );

  it("for a custom loss is counted as well", async () => {
    const { training } = await openTraining();
    const short = like({ target_tokens: [1] });
    expect(() =>
      training.forwardBackwardCustom([short], () => ({ loss: 0, gradients: [] }) as never),
    ).toThrow("data[0].loss_fn_inputs.target_tokens must have 2, the positions of model_input");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "is not sent with a setting of %s",
    async (value) => {
      const { training } = await openTraining();
      expect(() => training.forwardBackward([like(policy)], "ppo", { loss_fn_config: { x: value } })).toThrow(
        `loss_fn_config.x must be finite, got ${value}`,
      );
    },
  );

  it("for a loss of a newer service is sent when that is asked for", async () => {
    const { stub, training } = await openTraining();
    const newer = "newer_loss" as LossFnType;
    expect(() => training.forwardBackward([like({ target_tokens: [1, 2] })], newer)).toThrow(
      /newer_loss.*unchecked: true sends a loss of a newer service/,
    );
    // The stub reads requests by the names that this package knows.
    stub.on("forward_backward", () =>
      stub.accept("ForwardBackwardOutput", {
        loss_fn_output_type: "ArrayRecord",
        loss_fn_outputs: [{}],
        metrics: {},
      }),
    );
    await training.forwardBackward([like({ target_tokens: [1, 2], hints: new Float32Array([0.5]) })], newer, {
      unchecked: true,
    });
    expect(stub.seen("forward_backward")).toHaveLength(1);
  });
});

describe("an answer", () => {
  it.each([
    [
      "fewer log-probabilities than targets",
      [{ logprobs: [-1] }],
      "gave 1 logprobs for the 2 target_tokens of data[0]",
    ],
    [
      "more log-probabilities than targets",
      [{ logprobs: [-1, -1, -1] }],
      "gave 3 logprobs for the 2 target_tokens of data[0]",
    ],
    ["no output", [], "gave 0 outputs for 1 datums"],
  ])("with %s is an error", async (_, outputs, message) => {
    const { stub, training } = await openTraining();
    stub.on("forward_backward", () =>
      stub.accept("ForwardBackwardOutput", {
        loss_fn_output_type: "ArrayRecord",
        loss_fn_outputs: outputs.map(({ logprobs }) => ({
          logprobs: { data: Float32Array.from(logprobs), dtype: "float32", shape: [logprobs.length] },
        })),
        metrics: {},
      }),
    );
    const pass = training.forwardBackward([datum(1)], "cross_entropy");
    await expect(pass).rejects.toBeInstanceOf(ResponseError);
    await expect(pass).rejects.toThrow(message);
  });
});

it("finds a target below 0 wherever it stands, as a list and as a typed array", () => {
  for (let at = 0; at < 11; at++) {
    const tokens = Array.from({ length: 11 }, (_, index) => (index === at ? -7 : index));
    for (const target_tokens of [tokens, Int32Array.from(tokens), BigInt64Array.from(tokens, BigInt)]) {
      const data = [{ model_input: tokens, loss_fn_inputs: { target_tokens } }];
      expect(() => preparePass("forward", data, "cross_entropy", {}, new SpareMemories())).toThrow(
        `got -7 at index ${at}`,
      );
    }
  }
});

it("casts a tensor under a name that objects have already", () => {
  const inputs = JSON.parse('{ "__proto__": { "data": [1], "dtype": "float32" } }');
  const [prepared] = prepareData("forward", [{ model_input: [1], loss_fn_inputs: inputs }]);
  expect(Object.entries(prepared?.loss_fn_inputs ?? {})).toEqual([
    ["__proto__", { data: Float32Array.of(1), dtype: "float32" }],
  ]);
});

it("names a fault of a tensor before one of the model's input", () => {
  const datum = { model_input: "text", loss_fn_inputs: { target_tokens: [1.5] } };
  expect(() => prepareData("forward", [datum as never])).toThrow("data[0].loss_fn_inputs.target_tokens");
});
