import { inspect } from "node:util";
import { expect, it } from "vitest";
import { datum } from "../testing/examples.js";
import { openService } from "../testing/open-service.js";

const CANARY = "tml-canary-3f9b";
const TOKEN = "owner-secret-71c2";

it("BR-036: shows the key and the token of a checkpoint's owner nowhere", async () => {
  const { stub, service, logger } = await openService({ apiKey: CANARY });
  const shown: unknown[] = [];
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  const sampler = await training.saveWeightsAndGetSamplingClient();
  for (const status of [401, 403, 422]) {
    stub.script("optim_step", { status, body: { detail: "no" } });
    shown.push(await training.optimStep().catch((error: unknown) => error));
  }
  stub.on("load_weights", ({ body }) => ({
    status: 422,
    body: { detail: [{ loc: ["body"], msg: "no", input: body.toString() }] },
  }));
  stub.on("weights_info", () => ({ status: 404, body: { detail: "no" } }));
  const path = "tinker://R/weights/a";
  shown.push(
    await training.loadState(path, { weights_access_token: TOKEN }).catch((error: unknown) => error),
  );
  shown.push(
    await service
      .createTrainingClientFromState(path, { weights_access_token: TOKEN })
      .catch((error: unknown) => error),
  );
  shown.push(await training.forwardBackward([datum(1)], "cross_entropy"));
  shown.push(service, training, sampler, logger.lines, logger.debugLines);
  expect(stub.seen("optim_step")[0]?.headers["x-api-key"]).toBe(CANARY);
  for (const value of shown) {
    const text = `${inspect(value, { depth: 20, showHidden: true })} ${JSON.stringify(value)} ${String(value)}`;
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(TOKEN);
  }
});
