import type { Logger } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { CANARY_KEY, CANARY_TOKENS, everythingOf, findCanaries } from "@tinkex-tooling/canary";
import { answer, HostileServer, redirect } from "@tinkex-tooling/hostile-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService } from "../testing/open-service.js";
import { ServiceClient } from "./service-client.js";

const TOKEN = "owner-secret-71c2";

/** A datum and a prompt of the canary's tokens. */
const prompt = [...CANARY_TOKENS];
const datum = { model_input: prompt, loss_fn_inputs: { target_tokens: prompt, weights: [1, 1] } };

/** A logger of all levels and hooks that keep all they are told. */
function watching() {
  const told: unknown[] = [];
  const tell = (...what: readonly unknown[]): void => void told.push(what);
  const logger: Logger = { debug: tell, info: tell, warn: tell, error: tell };
  return { told, options: { logger, hooks: { onRequest: tell, onResponse: tell, onRetry: tell } } };
}

describe("what a client shows", () => {
  it("transport 94, BR-036: holds neither the key, nor the prompts, nor the token of a checkpoint's owner", async () => {
    const { told, options } = watching();
    const { stub, service } = await openService(options);
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
    shown.push(await training.forwardBackward([datum], "cross_entropy"));
    const sample = { prompt, sampling_params: { max_tokens: 1 } };
    shown.push(await sampler.sample(sample));
    for (const path of ["forward_backward", "asample"]) {
      stub.script(path, { status: 422, body: { detail: [{ loc: ["body"], msg: "no", input: prompt }] } });
    }
    shown.push(await training.forwardBackward([datum], "cross_entropy").catch((error: unknown) => error));
    shown.push(await sampler.sample(sample).catch((error: unknown) => error));
    shown.push(service, training, sampler, told);
    expect(stub.seen("optim_step")[0]?.headers["x-api-key"]).toBe(CANARY_KEY);
    expect(stub.seen("asample")[0]?.body.toString()).toContain(CANARY_TOKENS.join());
    expect(told.length).toBeGreaterThan(10);
    for (const value of shown) {
      const text = everythingOf(value);
      expect(findCanaries(text)).toEqual([]);
      expect(text).not.toContain(TOKEN);
    }
  });

  it("transport 86: stays with the service when that redirects to another server", async () => {
    const other = await HostileServer.play(answer(200, {}));
    const server = await HostileServer.play(redirect(302, `${other.url}/elsewhere`));
    const { told, options } = watching();
    const service = new ServiceClient({
      baseUrl: server.url,
      apiKey: CANARY_KEY,
      env: {},
      clock: new FakeClock(),
      ...options,
    });
    onTestFinished(async () => {
      await service.close();
      await server[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    });
    told.push(await service.createLoraTrainingClient({ base_model: "b" }).catch((error: unknown) => error));
    expect(server.header("x-api-key")).toContain(CANARY_KEY);
    expect(other.requests.length).toBeGreaterThan(0);
    expect(
      findCanaries(
        everythingOf([
          told,
          other.requests.map(({ path, headers, body }) => [path, headers, body.toString()]),
        ]),
      ),
    ).toEqual([]);
  });
});
