import { describe, expectTypeOf, it } from "vitest";
import type { Checkpoint, checkpointSchema } from "./records/checkpoints/checkpoints.js";
import type { ReceivedFloat32Tensor, ReceivedTensor } from "./records/data/received-tensor.js";
import type { TensorData } from "./records/data/tensor-data.js";
import type { SampledSequence, SampleRequest } from "./records/sampling/sampling.js";
import type { SamplingParams, samplingParamsSchema } from "./records/sampling/sampling-params.js";
import type { CustomLossInput } from "./records/training/custom-loss.js";
import type { ForwardBackwardInput } from "./records/training/forward-backward.js";
import type { LossFnType } from "./records/training/loss-function.js";
import type { CreateModelRequest } from "./records/training/models.js";
import type { RecordSchema } from "./schema/record-schema.js";

describe("the compiler knows", () => {
  // TanStack/form#1856, trpc/trpc#6079: the types of a Standard Schema that forms and routers infer.
  it("what a schema takes, as forms and routers ask it", () => {
    type InputOf<Schema extends RecordSchema<unknown>> = NonNullable<Schema["~standard"]["types"]>["input"];
    expectTypeOf<InputOf<typeof samplingParamsSchema>>().toEqualTypeOf<SamplingParams>();
    expectTypeOf<InputOf<typeof checkpointSchema>>().toEqualTypeOf<Checkpoint>();
    expectTypeOf<InputOf<RecordSchema<TensorData>>>().not.toBeUnknown();
  });

  // microsoft/TypeScript#36390: "This expression is not callable" for map of one list or another.
  it("what the elements of a received tensor are, alone and told apart by the dtype", () => {
    expectTypeOf<ReceivedFloat32Tensor["data"]>().toEqualTypeOf<Float32Array>();
    expectTypeOf<Extract<ReceivedTensor, { dtype: "int64" }>["data"]>().toEqualTypeOf<BigInt64Array>();
    expectTypeOf<Parameters<ReceivedFloat32Tensor["data"]["map"]>[0]>().toBeCallableWith(
      1,
      0,
      new Float32Array(1),
    );
  });
});

describe("the compiler refuses", () => {
  it("a record that lacks a field", () => {
    expectTypeOf<{ session_id: string; model_seq_id: number }>().not.toMatchTypeOf<CreateModelRequest>();
    expectTypeOf<{
      session_id: string;
      model_seq_id: number;
      base_model: string;
    }>().toMatchTypeOf<CreateModelRequest>();
    expectTypeOf<{ sampling_params: SamplingParams }>().not.toMatchTypeOf<SampleRequest>();
  });

  it("a loss name that does not exist", () => {
    expectTypeOf<"cross_entrophy">().not.toMatchTypeOf<LossFnType>();
    expectTypeOf<{ data: []; loss_fn: "mse" }>().not.toMatchTypeOf<ForwardBackwardInput>();
    expectTypeOf<{ data: []; loss_fn: "ppo" }>().toMatchTypeOf<ForwardBackwardInput>();
  });

  it("another number where a few are allowed, and a text where a number belongs", () => {
    expectTypeOf<{ name: string; rank: 1.5 }>().not.toMatchTypeOf<CustomLossInput>();
    expectTypeOf<{ name: string; rank: 3 }>().not.toMatchTypeOf<CustomLossInput>();
    expectTypeOf<{ temperature: string }>().not.toMatchTypeOf<SamplingParams>();
    expectTypeOf<{ stop: (string | number)[] }>().not.toMatchTypeOf<SamplingParams>();
  });

  it("another dtype, and a typed array that is none of the three", () => {
    expectTypeOf<{ data: number[]; dtype: "int32" }>().not.toMatchTypeOf<TensorData>();
    expectTypeOf<{ data: Float64Array; dtype: "float32" }>().not.toMatchTypeOf<TensorData>();
    expectTypeOf<{ data: Float32Array; dtype: "float32" }>().toMatchTypeOf<TensorData>();
  });

  it("nothing in names that may grow", () => {
    expectTypeOf<"content_filter">().toMatchTypeOf<SampledSequence["stop_reason"]>();
    expectTypeOf<string>().toMatchTypeOf<Checkpoint["checkpoint_type"]>();
  });
});
