import type { Tokenizer } from "@tinkex/base";
import type {
  ForwardBackwardOutput,
  GetInfoResponse,
  OptimStepResponse,
  SampleResponse,
  SaveWeightsResponse,
} from "@tinkex/types";
import { expect, expectTypeOf, it } from "vitest";
import type {
  ApiFuture,
  DatumLike,
  PassOutput,
  SampleOutput,
  SamplingClient,
  ServiceClient,
  TrainingClient,
} from "./index.js";
import * as client from "./index.js";

it("exports these names at run time", () => {
  expect(Object.keys(client).sort()).toEqual([
    "AbortedError",
    "AccessError",
    "AdamParams",
    "AdminCalls",
    "AdminClient",
    "ApiFuture",
    "ApiStatusError",
    "ClosedError",
    "ConnectionError",
    "Datum",
    "EVENT_CHANNELS",
    "FuturesPollerError",
    "LoraConfig",
    "LossHandle",
    "ModelInput",
    "RequestFailedError",
    "ResponseError",
    "RestCalls",
    "RestClient",
    "SampleFailedError",
    "SamplingClient",
    "SamplingParams",
    "SequenceBrokenError",
    "ServiceClient",
    "SessionLostError",
    "TensorData",
    "TimeoutError",
    "TinkexError",
    "TrainingClient",
    "UnsupportedByServerError",
    "ValidationError",
    "checkAccess",
    "consoleUrls",
    "events",
    "getTinkerToken",
    "graphLoss",
    "hasCredentials",
    "lossGraph",
    "lossOf",
  ]);
});

it("has the types that its documentation promises", () => {
  type Service = InstanceType<typeof ServiceClient>;
  expectTypeOf<Service["createLoraTrainingClient"]>().returns.toEqualTypeOf<ApiFuture<TrainingClient>>();
  expectTypeOf<Service["createTrainingClientFromState"]>().returns.toEqualTypeOf<ApiFuture<TrainingClient>>();
  expectTypeOf<Service["createSamplingClient"]>().returns.toEqualTypeOf<ApiFuture<SamplingClient>>();
  expectTypeOf<Service["close"]>().returns.toEqualTypeOf<Promise<void>>();
  expectTypeOf<Service>().toExtend<AsyncDisposable>();

  expectTypeOf<TrainingClient["forwardBackward"]>().returns.toEqualTypeOf<ApiFuture<PassOutput>>();
  expectTypeOf<TrainingClient["forward"]>().returns.toEqualTypeOf<ApiFuture<PassOutput>>();
  expectTypeOf<TrainingClient["forwardBackwardCustom"]>().returns.toEqualTypeOf<ApiFuture<PassOutput>>();
  expectTypeOf<TrainingClient["optimStep"]>().returns.toEqualTypeOf<ApiFuture<OptimStepResponse>>();
  expectTypeOf<TrainingClient["saveState"]>().returns.toEqualTypeOf<ApiFuture<SaveWeightsResponse>>();
  expectTypeOf<TrainingClient["saveWeightsAndGetSamplingClient"]>().returns.toEqualTypeOf<
    ApiFuture<SamplingClient>
  >();
  expectTypeOf<TrainingClient["getInfo"]>().returns.toEqualTypeOf<Promise<GetInfoResponse>>();
  expectTypeOf<TrainingClient["getTokenizer"]>().returns.toEqualTypeOf<Promise<Tokenizer>>();
  expectTypeOf<TrainingClient>().toExtend<AsyncDisposable>();
  expectTypeOf<PassOutput>().toExtend<ForwardBackwardOutput>();

  expectTypeOf<SamplingClient["sample"]>().returns.toEqualTypeOf<ApiFuture<SampleOutput>>();
  expectTypeOf<SampleOutput>().toExtend<SampleResponse>();
  expectTypeOf<SamplingClient["computeLogprobs"]>().returns.toEqualTypeOf<
    ApiFuture<readonly (number | null)[]>
  >();
  expectTypeOf<SamplingClient>().toExtend<AsyncDisposable>();

  expectTypeOf<Awaited<ApiFuture<number>>>().toEqualTypeOf<number>();
  expectTypeOf<ApiFuture<number>>().toExtend<PromiseLike<number>>();
  expectTypeOf<ApiFuture<number>>().toExtend<Promise<number>>();
});

it("accepts whatever holds numbers where a tensor is wanted, and nothing else", () => {
  const datum: DatumLike = {
    model_input: Int32Array.of(1, 2),
    loss_fn_inputs: {
      target_tokens: BigInt64Array.of(1n),
      weights: [
        [1, 2],
        [3, 4],
      ],
      advantages: Float64Array.of(1),
      logprobs: {
        shape: [1],
        dtype: "float32",
        dataSync: () => Float32Array.of(1),
        data: async () => Float32Array.of(1),
      },
    },
  };
  expectTypeOf(datum).toExtend<DatumLike>();
  // @ts-expect-error strings are no numbers
  const strings: DatumLike = { model_input: [1], loss_fn_inputs: { weights: ["1"] } };
  // @ts-expect-error wire records keep their wire names
  const renamed: DatumLike = { modelInput: [1], loss_fn_inputs: {} };
  expect([strings, renamed]).toHaveLength(2);
});
