import { AbortedError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { datums, readPass, seqIdOf } from "../testing/examples.js";
import { pauseForSockets, until } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";

const ONE_EACH = { fwdbwd_max_chunk_len: 1, parallel_fwdbwd_chunks: true };

describe("an abort while a pass leaves in several requests together", () => {
  it("sends the rest once one is accepted, so that the model goes on", async () => {
    const { stub, training } = await openTraining(ONE_EACH);
    const usual = stub.usual("forward_backward");
    let refusals = 0;
    stub.on("forward_backward", (request) => {
      if (seqIdOf(request) !== 3 || refusals > 0) return usual(request);
      refusals += 1;
      return { status: 429 };
    });
    const controller = new AbortController();
    const pass = training.forwardBackward(datums(3), "cross_entropy", { signal: controller.signal });
    await until(() => stub.seen("forward_backward").length === 2, "the later chunks");
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await expect(pass).rejects.toBeInstanceOf(AbortedError);
    await step(training);
    expect(stub.seen("forward_backward").map(seqIdOf).sort()).toEqual([1, 2, 3, 3]);
    expect(stub.seen("forward_backward").map(seqIdOf).slice(2)).toEqual([3, 1]);
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([4]);
  });

  it.each([429, 413])(
    "and one that has left is answered %i: sends it again where that may help",
    async (status) => {
      const { stub, training } = await openTraining(ONE_EACH);
      const usual = stub.usual("forward_backward");
      const controller = new AbortController();
      let refusals = 0;
      stub.on("forward_backward", async (request) => {
        if (seqIdOf(request) !== 3 || refusals > 0) return usual(request);
        refusals += 1;
        await pauseForSockets();
        controller.abort();
        return { status };
      });
      const pass = training.forwardBackward(datums(3), "cross_entropy", { signal: controller.signal });
      await expect(pass).rejects.toBeInstanceOf(AbortedError);
      if (status === 429) await step(training);
      else
        await expect(step(training)).rejects.toMatchObject({ code: "sequence_broken", sequenceIds: [1, 3] });
      expect(refusals).toBe(1);
    },
  );

  it("sends nothing at all, and uses the ids again, where none has left", async () => {
    const { stub, training } = await openTraining(ONE_EACH);
    const controller = new AbortController();
    const pass = training.forwardBackward(datums(3), "cross_entropy", { signal: controller.signal });
    controller.abort();
    await expect(pass).rejects.toBeInstanceOf(AbortedError);
    await step(training);
    expect(stub.seen("forward_backward")).toEqual([]);
    expect(stub.seen("optim_step").map(seqIdOf)).toEqual([1]);
  });

  it.each([0, 1, 2, 4, 8])(
    "never ends the model, at whichever moment it comes: after %i turns",
    async (turns) => {
      const { stub, training } = await openTraining(ONE_EACH);
      const controller = new AbortController();
      const pass = training.forwardBackward(datums(4), "cross_entropy", { signal: controller.signal });
      pass.catch(() => {});
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await step(training);
      const sent = stub.seen("forward_backward").map((request) => readPass(request).seq_id);
      expect([0, 4]).toContain(new Set(sent).size);
      expect(stub.seen("optim_step").map(seqIdOf)).toEqual([sent.length === 0 ? 1 : 5]);
    },
  );
});
