import { describe, expect, it } from "vitest";
import { datums } from "../testing/examples.js";
import { pauseForSockets, until } from "../testing/open-service.js";
import { openTraining } from "../testing/open-training.js";

describe("the joined result of a training step", () => {
  it("newest-clients 13: is made once, and is the same object for all who await it", async () => {
    const { stub, training } = await openTraining({ fwdbwd_max_chunk_len: 1 });
    const both = training.trainStep(datums(2), "cross_entropy");
    const [first, second] = await Promise.all([both, both]);
    expect(second).toBe(first);
    expect(await both.result()).toBe(first);
    // The model's creation, two chunks and the step: each result was fetched once.
    expect(stub.seen("retrieve_future")).toHaveLength(4);
  });

  it("newest-clients 13: ends the waiting for all of its parts when it is given up", async () => {
    const { stub, training, clock } = await openTraining({ fwdbwd_max_chunk_len: 1 });
    stub.on("retrieve_future", ({ json }) => ({
      status: 408,
      body: { type: "try_again", request_id: json?.request_id, queue_state: "active" },
    }));
    const both = training.trainStep(datums(2), "cross_entropy");
    both.catch(() => {});
    const polled = () => new Set(stub.seen("retrieve_future").map(({ json }) => json?.request_id)).size;
    await until(() => polled() === 4, "a poll of each part");
    await both.cancel();
    await expect(both).rejects.toMatchObject({ code: "aborted" });
    await pauseForSockets();
    const before = stub.seen("retrieve_future").length;
    await clock.advance(60_000);
    await pauseForSockets();
    expect(stub.seen("retrieve_future")).toHaveLength(before);
  });
});
