import { describe, expect, it } from "vitest";
import { throughSleeps } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";

/** An optimizer step whose first polls a proxy refuses with an empty 400. */
async function refusedPolls(refusals: number) {
  const { stub, clock, training } = await openTraining();
  const usual = stub.usual("retrieve_future");
  let left = refusals;
  stub.on("retrieve_future", (request) => {
    left -= 1;
    return left < 0 ? usual(request) : { status: 400, body: "" };
  });
  const before = stub.seen("retrieve_future").length;
  const sleptBefore = clock.sleeps.length;
  const outcome = await throughSleeps(clock, step(training)).catch((error: unknown) => error);
  return {
    outcome,
    polls: stub.seen("retrieve_future").length - before,
    sleeps: clock.sleeps.slice(sleptBefore).map(Math.round),
  };
}

describe("polls that a proxy refuses", () => {
  it("transport 45: wait as for a broken connection", async () => {
    const { outcome, sleeps } = await refusedPolls(3);
    expect(outcome).not.toBeInstanceOf(Error);
    expect(sleeps).toEqual([1_000, 2_000, 4_000]);
  });

  it("transport 46: give up when that does not end", async () => {
    const { outcome, polls } = await refusedPolls(Number.POSITIVE_INFINITY);
    expect(outcome).toMatchObject({ status: 400 });
    // The refusals that are put down to the proxy, and the four of the service.
    expect(polls).toBe(16 + 4);
  });
});
