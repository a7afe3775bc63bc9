import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";
import { expect, it, onTestFinished } from "vitest";
import { startLosingProxy } from "./losing-proxy.js";

const data = [
  { model_input: [104, 101, 108], loss_fn_inputs: { target_tokens: [101, 108, 108], weights: [1, 1, 1] } },
];

/** One step of training; resolves with the loss after it and the number of the step. */
async function trainOneStep(baseUrl: string, baseModel: string): Promise<{ loss: unknown; step: unknown }> {
  const service = new ServiceClient({
    baseUrl,
    env: {},
    logger: { debug() {}, info() {}, warn() {}, error() {} },
  });
  try {
    const training = await service.createLoraTrainingClient({ base_model: baseModel, rank: 4, seed: 7 });
    const pass = training.forwardBackward(data, "cross_entropy");
    const { metrics } = await training.optimStep({ learning_rate: 0.003 });
    await pass;
    const after = await training.forward(data, "cross_entropy");
    return { loss: after.metrics["loss:sum"], step: metrics?.["step:max"] };
  } finally {
    await service.close();
  }
}

it("a step whose answer was lost is sent again and taken once", { timeout: 60_000 }, async () => {
  const server = await startLocalServer();
  onTestFinished(() => server.close());
  const proxy = await startLosingProxy(server.url, "/api/v1/optim_step");
  onTestFinished(() => proxy.close());
  const baseModel = server.models[0]?.name ?? "";
  const undisturbed = await trainOneStep(server.url, baseModel);
  expect(await trainOneStep(proxy.url, baseModel)).toEqual(undisturbed);
  expect(proxy.bodies).toHaveLength(2);
  expect(proxy.bodies[1]).toBe(proxy.bodies[0]);
  expect(JSON.parse(proxy.bodies[0] ?? "")).toMatchObject({ seq_id: 2 });
});
