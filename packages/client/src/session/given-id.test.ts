import { ResponseError } from "@tinkex/base";
import { lossGraph } from "@tinkex/tensor/loss-graph";
import { describe, expect, it } from "vitest";
import { datum } from "../testing/examples.js";
import { type OpenService, openService, passPauses } from "../testing/open-service.js";
import { openTraining } from "../testing/open-training.js";

const nll = lossGraph("nll", { logprobs: 1, weights: 1 }, ({ logprobs, weights }) => ({
  loss: logprobs.mul(weights).sum().neg(),
}));

/** Has the service answer a path with a record in which a field is empty. */
type Emptied = (open: OpenService) => void;

const answering =
  (path: string, body: object): Emptied =>
  ({ stub }) =>
    stub.on(path, () => ({ body }));

const resulting =
  (path: string, record: string, value: object): Emptied =>
  ({ stub }) =>
    stub.on(path, () => stub.accept(record as "CreateModelResponse", value));

describe("an answer with an empty id", () => {
  it.each<
    [field: string, method: string, emptied: Emptied, run: (open: OpenService) => PromiseLike<unknown>]
  >([
    [
      "session_id",
      "createSamplingClient",
      answering("create_session", { session_id: "" }),
      ({ service }) => service.createSamplingClient({ base_model: "b" }),
    ],
    [
      "sampling_session_id",
      "createSamplingClient",
      answering("create_sampling_session", { sampling_session_id: "" }),
      ({ service }) => service.createSamplingClient({ base_model: "b" }),
    ],
    [
      "request_id",
      "createLoraTrainingClient",
      answering("create_model", { request_id: "" }),
      ({ service }) => service.createLoraTrainingClient({ base_model: "b" }),
    ],
    [
      "model_id",
      "createLoraTrainingClient",
      resulting("create_model", "CreateModelResponse", { model_id: "" }),
      ({ service }) => service.createLoraTrainingClient({ base_model: "b" }),
    ],
    [
      "model_id",
      "createTrainingClientFromState",
      resulting("load_weights", "LoadWeightsResponse", { path: "p", model_id: "" }),
      ({ service }) => service.createTrainingClientFromState("tinker://a/weights/b"),
    ],
    [
      "loss_id",
      "createCustomLoss",
      (open) => {
        answering("client/config", { custom_loss_server_side: true })(open);
        resulting("create_custom_loss", "CreateCustomLossResponse", { loss_id: "" })(open);
      },
      ({ service }) => service.createCustomLoss(nll),
    ],
    [
      "request_id",
      "sample",
      answering("asample", { request_id: "" }),
      async ({ service }) => {
        const sampler = await service.createSamplingClient({ base_model: "b" });
        return sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } });
      },
    ],
  ])("%s to %s is a ResponseError", async (field, _, emptied, run) => {
    const open = await openService();
    emptied(open);
    const error = await passPauses(open.clock, run(open)).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ResponseError);
    expect((error as Error).message).toContain(`the service gave an empty ${field}`);
  });

  it.each(["optim_step", "forward_backward"])(
    "request_id to %s fails that call, and the client takes the next",
    async (path) => {
      const { stub, training, clock } = await openTraining();
      stub.script(path, { body: { request_id: "" } });
      const call = (): PromiseLike<unknown> =>
        path === "optim_step" ? training.optimStep() : training.forwardBackward([datum(1)], "cross_entropy");
      await expect(passPauses(clock, call())).rejects.toBeInstanceOf(ResponseError);
      expect(stub.seen("retrieve_future").some(({ json }) => json?.request_id === "")).toBe(false);
      await passPauses(clock, call());
      expect(stub.seen(path).map(({ json }) => json?.seq_id)).toEqual(
        path === "optim_step" ? [1, 2] : [undefined, undefined],
      );
    },
  );

  it.each([
    ["path", "saveState", "save_weights", "SaveWeightsResponse", { path: "" }],
    [
      "path",
      "saveWeightsForSampler",
      "save_weights_for_sampler",
      "SaveWeightsForSamplerResponse",
      { path: "" },
    ],
    [
      "sampling_session_id",
      "saveWeightsAndGetSamplingClient",
      "save_weights_for_sampler",
      "SaveWeightsForSamplerResponse",
      { sampling_session_id: "" },
    ],
  ] as const)("%s to %s is a ResponseError", async (field, method, path, record, value) => {
    const { stub, training, clock } = await openTraining();
    stub.on(path, () => stub.accept(record, value));
    const saving = (): PromiseLike<unknown> =>
      method === "saveWeightsAndGetSamplingClient" ? training[method]() : training[method]("a");
    const error = await passPauses(clock, saving()).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ResponseError);
    expect((error as Error).message).toContain(`the service gave an empty ${field}`);
  });
});

describe("a result of another type than was asked for", () => {
  it.each([
    ["optim_step", "later"],
    ["optim_step", "load_weights"],
    ["load_weights", "pending"],
  ])("is none of %s: %s", async (path, type) => {
    const { stub, training, clock } = await openTraining();
    stub.on("retrieve_future", () => ({ body: { type } }));
    const call = (): PromiseLike<unknown> =>
      path === "optim_step" ? training.optimStep() : training.loadState("tinker://a/weights/b");
    const error = await passPauses(clock, call()).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ResponseError);
    expect((error as Error).message).toContain(
      `an answer of type "${type}" where the result of ${path} was asked for`,
    );
  });

  it.each([{}, { type: "optim_step" }, { type: null, metrics: {} }])("is not %j for a step", async (body) => {
    const { stub, training, clock } = await openTraining();
    stub.on("retrieve_future", () => ({ body }));
    await passPauses(clock, training.optimStep());
  });
});
