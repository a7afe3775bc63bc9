import { AbortedError, deferred } from "@tinkex/base";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it, vi } from "vitest";
import { SessionLostError } from "../session/session-lost-error.js";
import { openService, passPauses, pauseForSockets, until } from "../testing/open-service.js";
import { openTraining } from "../testing/open-training.js";
import type { Reply } from "../testing/stub-service.js";
import { TrainingClient } from "./training-client.js";

describe("createLoraTrainingClient", () => {
  it("newest-clients 12: gives the client, not a future of it", async () => {
    const { service } = await openService();
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    expect(training).toBeInstanceOf(TrainingClient);
    expect("then" in training).toBe(false);
  });

  it.each(["refused", "failed"])(
    "newest-clients 12: a creation that is %s rejects for whoever awaits it, and ends nothing for others",
    async (way) => {
      failOnUnhandledErrors();
      const { stub, service } = await openService();
      if (way === "refused") stub.script("create_model", { status: 400, body: { detail: "no model" } });
      else stub.script("retrieve_future", { body: { error: "no model", category: "user" } });
      const future = service.createLoraTrainingClient({ base_model: "no/such-model" });
      await pauseForSockets();
      await pauseForSockets();
      await expect(future).rejects.toThrow(/no model/);
      expect(await service.createLoraTrainingClient({ base_model: "b" })).toBeInstanceOf(TrainingClient);
    },
  );
});

it("frees a model again that no client could be made of", async () => {
  const { stub, service } = await openService();
  stub.script("get_info", { status: 400, body: { detail: "no info" } });
  await expect(service.createLoraTrainingClient({ base_model: "b" })).rejects.toThrow("no info");
  await vi.waitFor(() => expect(stub.seen("unload_model")).toHaveLength(1));
});

it.each(["create_model", "load_weights"])(
  "frees a model again whose creation by %s is given up after it was accepted",
  async (path) => {
    const { stub, service, clock } = await openService();
    stub.script("retrieve_future", { status: 408, body: { queue_state: "active" } });
    const controller = new AbortController();
    const { signal } = controller;
    const future =
      path === "create_model"
        ? service.createLoraTrainingClient({ base_model: "b" }, { signal })
        : service.createTrainingClientFromState("tinker://a/weights/b", { signal });
    await vi.waitFor(() => expect(stub.seen("retrieve_future")).toHaveLength(1));
    controller.abort();
    await expect(future).rejects.toBeInstanceOf(AbortedError);
    await passPauses(
      clock,
      vi.waitFor(() => expect(stub.seen("unload_model")).toHaveLength(1)),
    );
    expect(stub.seen("unload_model")[0]?.json?.model_id).toBe("S:train:0");
    expect(stub.seen(path)).toHaveLength(1);
  },
);

describe("a model that is given up while its creation is being sent", () => {
  /** A service that does not end sessions and whose answer to a creation is held; gives what lets it go. */
  async function openHeld(path: string, answer?: Reply) {
    const open = await openService();
    const { stub, service } = open;
    stub.on("sessions/S/finish", () => ({ status: 404, body: { detail: "Not Found" } }));
    stub.on("unload_model", () => stub.accept("UnloadModelResponse", { model_id: "S:train:0" }));
    const usual = stub.usual(path);
    const held = deferred<void>();
    stub.on(path, async (request) => {
      await held.promise;
      return answer ?? usual(request);
    });
    const controller = new AbortController();
    const { signal } = controller;
    const creation =
      path === "create_model"
        ? service.createLoraTrainingClient({ base_model: "b" }, { signal })
        : service.createTrainingClientFromState("tinker://a/weights/b", { signal });
    creation.catch(() => {});
    await until(() => stub.seen(path).length === 1, "the creation");
    const freed = () => stub.seen("unload_model").map(({ json }) => json?.model_id);
    return { ...open, creation, freed, abort: () => controller.abort(), letGo: () => held.resolve() };
  }

  it.each(["create_model", "load_weights"])("by %s is freed once its id is known", async (path) => {
    const { stub, creation, freed, abort, letGo } = await openHeld(path);
    abort();
    await expect(creation).rejects.toBeInstanceOf(AbortedError);
    letGo();
    await until(() => freed().length > 0, "the end of the model");
    expect(freed()).toEqual(["S:train:0"]);
    expect(stub.seen(path)).toHaveLength(1);
  });

  it.each(["create_model", "load_weights"])("by %s is freed although the answer is lost", async (path) => {
    const { creation, freed, abort, letGo } = await openHeld(path, { isReset: true });
    abort();
    letGo();
    await expect(creation).rejects.toBeInstanceOf(AbortedError);
    await until(() => freed().length > 0, "the end of the model");
    expect(freed()).toEqual(["S:train:0"]);
  });

  it.each([
    ["is freed where an earlier answer was lost", { isReset: true }, ["S:train:0"]],
    ["is not asked for where the service has refused it for now", { status: 429 }, []],
  ] as const)("in a pause before the next try %s", async (_, reply, freedIds) => {
    const { stub, clock, creation, freed, abort, letGo } = await openHeld("create_model", reply);
    letGo();
    await until(() => clock.sleeps.length > 0, "the pause");
    abort();
    await expect(creation).rejects.toBeInstanceOf(AbortedError);
    await pauseForSockets();
    await pauseForSockets();
    expect(freed()).toEqual(freedIds);
    expect(stub.seen("create_model")).toHaveLength(1);
  });

  it.each([
    ["create_model", "aborted and the client closed"],
    ["create_model", "ended by closing the client"],
    ["load_weights", "ended by closing the client"],
  ])("by %s is freed before close() is done when it is %s", async (path, way) => {
    const { service, creation, freed, abort, letGo } = await openHeld(path);
    if (way.startsWith("aborted")) abort();
    const closed = service.close();
    await expect(creation).rejects.toMatchObject({ code: way.startsWith("aborted") ? "aborted" : "closed" });
    await pauseForSockets();
    letGo();
    await closed;
    expect(freed()).toEqual(["S:train:0"]);
  });

  it("is freed before close() is done also when it was accepted by then", async () => {
    const { stub, clock, service, creation, freed, abort, letGo } = await openHeld("create_model");
    stub.script("retrieve_future", { body: { type: "try_again" } }, { body: { type: "try_again" } });
    letGo();
    await creation.submitted;
    abort();
    await passPauses(clock, service.close());
    expect(freed()).toEqual(["S:train:0"]);
  });

  it("does not keep close() from ending where the service never answers", async () => {
    const { clock, service, freed, abort } = await openHeld("create_model");
    abort();
    const startedAtMs = clock.now();
    await passPauses(clock, service.close());
    expect(clock.now() - startedAtMs).toBeLessThanOrEqual(6_000);
    expect(freed()).toEqual([]);
  });

  it("opens no new session although its own turns out to be lost", async () => {
    const lost = { status: 404, body: { detail: "Session not found" } };
    const { stub, creation, abort, letGo } = await openHeld("create_model", lost);
    abort();
    await expect(creation).rejects.toBeInstanceOf(AbortedError);
    letGo();
    await pauseForSockets();
    expect(stub.seen("create_session")).toHaveLength(1);
  });
});

describe("getInfo", () => {
  it.each([
    ["Qwen/Qwen3-8B:rev1", "Qwen/Qwen3-8B"],
    ["Qwen/Qwen3-8B", "Qwen/Qwen3-8B"],
    ["Qwen/Qwen3-8B:rev1:more", "Qwen/Qwen3-8B"],
  ])("clients 55: names the tokenizer %s as %s, without the revision", async (given, expected) => {
    const { stub, service } = await openService();
    stub.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: "m", tokenizer_id: given } },
    }));
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    expect((await training.getInfo()).model_data.tokenizer_id).toBe(expected);
    expect((await training.getInfo({ refresh: true })).model_data.tokenizer_id).toBe(expected);
  });

  it.each([
    [404, "Unknown model S:train:0"],
    [404, "Session not found"],
    [410, "Model S:train:0 has expired"],
  ])(
    "tells a model that the service no longer knows (%d %s) from a server that cannot say",
    async (status, detail) => {
      const { stub, training } = await openTraining();
      stub.on("get_info", () => ({ status, body: { detail } }));
      const error = await training.getInfo({ refresh: true }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(SessionLostError);
      expect(error).toMatchObject({
        code: "session_lost",
        cause: { status, message: expect.stringContaining(detail) },
      });
      for (const missing of [404, 405]) {
        stub.on("get_info", () => ({ status: missing, body: { detail: "Not Found" } }));
        const asked = training.getInfo({ refresh: true });
        await expect(asked).rejects.toMatchObject({ feature: "get_info" });
      }
    },
  );

  it("of a model that was just made, and is not known yet, is left for later with a warning", async () => {
    const { stub, service, logger } = await openService();
    stub.script("get_info", { status: 404, body: { detail: "Unknown model S:train:0" } });
    const training = await service.createLoraTrainingClient({ base_model: "b" });
    expect(logger.lines).toEqual([
      expect.stringMatching(/^warn: the service has made S:train:0 and does not know it: .*Unknown model/),
    ]);
    expect((await training.getInfo()).model_id).toBe("S:train:0");
    expect(stub.seen("unload_model")).toEqual([]);
  });
});
