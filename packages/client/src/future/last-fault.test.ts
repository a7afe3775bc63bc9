import { describe, expect, it } from "vitest";
import { throughSleeps } from "../testing/open-service.js";
import { openTraining } from "../testing/open-training.js";

/** Message of the error with which a step ends at its limit. */
async function endOfStep(
  { training, clock }: Awaited<ReturnType<typeof openTraining>>,
  timeoutMs: number,
): Promise<string> {
  const outcome = training.optimStep({}, { timeoutMs }).catch((error: unknown) => String(error));
  return String(await throughSleeps(clock, outcome));
}

describe("the error of a call that ran out of its time says what kept it", () => {
  it("from the service: why its last try failed", async () => {
    const open = await openTraining();
    open.stub.on("optim_step", () => ({ status: 503, body: {} }));
    expect(await endOfStep(open, 5_000)).toMatch(
      /^TimeoutError: optimStep .* \(limit 5000 ms\); last try: answered 503$/,
    );
  });

  it("from its result: why its last poll failed", async () => {
    const open = await openTraining();
    open.stub.on("retrieve_future", () => ({ status: 500, body: {} }));
    expect(await endOfStep(open, 5_000)).toMatch(/still known to the service.*; last try: .*500/);
  });

  it("and nothing of tries that are over, once the service has answered well", async () => {
    const open = await openTraining();
    open.stub.script("optim_step", { status: 503, body: {} });
    let polls = 0;
    open.stub.on("retrieve_future", () => {
      polls += 1;
      return polls === 1 ? { status: 500, body: {} } : { body: { type: "try_again" } };
    });
    expect(await endOfStep(open, 20_000)).toMatch(/^TimeoutError: .*\(limit 20000 ms\)$/);
    expect(polls).toBeGreaterThan(2);
  });
});
