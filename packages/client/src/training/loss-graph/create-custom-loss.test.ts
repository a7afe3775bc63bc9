import { AbortedError, ValidationError } from "@tinkex/base";
import type { LossGraph } from "@tinkex/tensor/loss-graph";
import { describe, expect, it } from "vitest";
import { datums } from "../../testing/examples.js";
import { openService, until } from "../../testing/open-service.js";
import { clippedRatio, negativeLogLikelihood, ON_SERVER, openLosses } from "./testing/open-losses.js";

describe("createCustomLoss", () => {
  it("refuses a graph at the call, and sends nothing, not even to open a session", async () => {
    const { service, stub } = await openService();
    const bad = { ...negativeLogLikelihood, inputs: [] };
    expect(() => service.createCustomLoss(bad)).toThrow(ValidationError);
    expect(() => service.createCustomLoss(negativeLogLikelihood, { uncheked: true } as never)).toThrow(
      'did you mean "unchecked"?',
    );
    expect(stub.requests).toEqual([]);
  });

  it("writes the graph as it was at the call", async () => {
    const { service, uploads } = await openLosses(ON_SERVER);
    const graph = structuredClone(negativeLogLikelihood) as { name: string } & LossGraph;
    const created = service.createCustomLoss(graph);
    graph.name = "changed";
    await created;
    expect(uploads()[0]?.name).toBe("nll");
  });

  it("creates it in a new session where the service has lost the old one", async () => {
    const { service, stub, uploads } = await openLosses(ON_SERVER);
    stub.on("create_session", () => ({ body: { session_id: "S2" } }));
    stub.script("create_custom_loss", { status: 404, body: { detail: "Session not found" } });
    const handle = await service.createCustomLoss(clippedRatio);
    expect(handle.sessionId).toBe("S2");
    expect(uploads().map((upload) => [upload?.session_id, upload?.custom_loss_seq_id])).toEqual([
      ["S", 0],
      ["S2", 0],
    ]);
  });

  it("an abort ends it, and the loss may be created again", async () => {
    const { service, stub } = await openLosses(ON_SERVER);
    stub.script("create_custom_loss", () => new Promise(() => {}));
    const controller = new AbortController();
    const aborted = service.createCustomLoss(clippedRatio, { signal: controller.signal });
    const failed = expect(aborted).rejects.toThrow(AbortedError);
    await until(() => stub.seen("create_custom_loss").length === 1, "the upload");
    controller.abort();
    await failed;
    expect((await service.createCustomLoss(clippedRatio)).lossId).toMatch(/^S:loss:/);
  });

  it("a loss that is neither function nor handle is refused", async () => {
    const { training } = await openLosses();
    expect(() => training.forwardBackwardCustom(datums(1), negativeLogLikelihood as never)).toThrow(
      "forwardBackwardCustom: loss must be a function or a handle of createCustomLoss, got an object",
    );
  });

  it("newest-wire 33: numbers the losses of a session from 0, whichever client creates them", async () => {
    const { service, training, uploads } = await openLosses(ON_SERVER);
    const handles = [
      await service.createCustomLoss(negativeLogLikelihood),
      await training.createCustomLoss(clippedRatio),
    ];
    expect(handles.map(({ lossId }) => lossId)).toEqual(["S:loss:0", "S:loss:1"]);
    expect(uploads().map((upload) => upload?.custom_loss_seq_id)).toEqual([0, 1]);
  });

  it("newest-clients 30: an upload that was refused may be tried again", async () => {
    const { service, stub, uploads } = await openLosses(ON_SERVER);
    stub.script("create_custom_loss", { status: 400, body: { detail: "torch.exp is not allowed" } });
    await expect(service.createCustomLoss(clippedRatio)).rejects.toThrow("torch.exp is not allowed");
    const handle = await service.createCustomLoss(clippedRatio);
    expect(handle.lossId).toBe("S:loss:1");
    expect(uploads()).toHaveLength(2);
  });

  describe.each([
    ["here", {}],
    ["on the service", ON_SERVER],
  ])("of a loss that runs %s", (_, config) => {
    it("newest-wire 33, newest-clients 30: is created once in a session, whatever its name", async () => {
      const { service, training, uploads } = await openLosses(config);
      await service.createCustomLoss(negativeLogLikelihood);
      const uploadCount = uploads().length;
      const again = training.createCustomLoss({ ...negativeLogLikelihood, name: "other" });
      await expect(again).rejects.toThrow(ValidationError);
      await expect(again).rejects.toThrow(
        'createCustomLoss: loss "other": this session has created the same loss as "nll" already; use its handle',
      );
      expect(uploads()).toHaveLength(uploadCount);
      await service.createCustomLoss(clippedRatio);
    });
  });
});
