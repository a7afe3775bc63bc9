import { describe, expect, it } from "vitest";
import { openService, pauseForSockets, until } from "../testing/open-service.js";

const params = { prompt: [1], sampling_params: { max_tokens: 1 } };

/** A sampler of a service whose samples take for ever, and that wants to hear of those that are given up, one at a time. */
async function openSampler() {
  const open = await openService();
  open.stub.on("client/dynamic_config", () => ({
    body: { sample_cancel_enabled: true, sample_cancel_max_batch_size: 1 },
  }));
  open.stub.on("cancel_future", () => ({ body: {} }));
  open.stub.on("retrieve_future", () => new Promise(() => {}));
  return { ...open, sampler: await open.service.createSamplingClient({ base_model: "b" }) };
}

describe("closing the service client", () => {
  it("tells the service first of the samples that were given up, those in the queue included", async () => {
    const { stub, service, sampler } = await openSampler();
    const controller = new AbortController();
    const samples = [1, 2, 3, 4].map(() => sampler.sample(params, { signal: controller.signal }));
    for (const sample of samples) sample.catch(() => {});
    await Promise.all(samples.map(({ submitted }) => submitted));
    controller.abort();
    await service.close();
    const told = stub.seen("cancel_future").map(({ json }) => json?.request_id);
    expect(told.sort()).toEqual(samples.map(({ requestId }) => requestId).sort());
    expect(stub.trace.at(-1)).toBe("sessions/S/finish");
  });

  it("does not wait for ever for a service that takes no cancellations", async () => {
    const { stub, service, sampler, clock } = await openSampler();
    stub.on("cancel_future", () => new Promise(() => {}));
    const sample = sampler.sample(params);
    sample.catch(() => {});
    await sample.submitted;
    void sample.cancel();
    await until(() => stub.seen("cancel_future").length === 1, "the cancellation");
    const closed = service.close();
    await pauseForSockets();
    await clock.advance(10_000);
    await closed;
    expect(stub.seen("cancel_future")).toHaveLength(1);
  });

  it("tells nothing of samples that nobody gave up: the end of the session ends them", async () => {
    const { stub, service, sampler } = await openSampler();
    const sample = sampler.sample(params);
    const ended = expect(sample).rejects.toMatchObject({ code: "closed" });
    await sample.submitted;
    await service.close();
    await ended;
    expect(stub.seen("cancel_future")).toEqual([]);
  });

  it("reports what was fetched although the poll for all samples waits after a failure", async () => {
    const { stub, service, clock } = await openService();
    stub.on("client/config", () => ({ body: { sample_use_retrieve_futures: true } }));
    const sampler = await service.createSamplingClient({ base_model: "b" });
    let polls = 0;
    stub.on("retrieve_futures", ({ json }) => {
      if (json?.timeout === 0) return { body: { completions: [], cursor: 1 } };
      polls += 1;
      if (polls > 1) return { status: 503, body: { detail: "busy" } };
      return { body: { completions: [{ state: "finished", request_id: "r1" }], cursor: 1 } };
    });
    const done = sampler.sample(params);
    await done;
    const open = sampler.sample(params);
    const ended = expect(open).rejects.toMatchObject({ code: "closed" });
    // A report in a poll that failed is none.
    const reports = () =>
      stub
        .seen("retrieve_futures")
        .filter(({ json }) => json?.timeout === 0)
        .flatMap(({ json }) => json?.retrieved_request_ids);
    await until(() => polls >= 2 && clock.sleepingInBackground > 0, "the pause after the failure");
    await service.close();
    await ended;
    expect(reports()).toEqual(["r1"]);
  });
});
