import { deferred } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { openService, pauseForSockets, until } from "../testing/open-service.js";
import type { SeenRequest } from "../testing/stub-service.js";

const isFetch = ({ json }: SeenRequest): boolean => json?.allow_metadata_only === false;

/** A sampler of a service that announces results of these sizes, with room for so many bytes at a time. */
async function openSampler(budget: number, sizes: readonly number[]) {
  const { stub, service } = await openService();
  stub.on("client/config", () => ({ body: { inflight_response_bytes_semaphore_size: budget } }));
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const usual = stub.usual("retrieve_future");
  const gate = deferred<void>();
  stub.on("retrieve_future", async (request) => {
    if (isFetch(request)) {
      await gate.promise;
      return usual(request);
    }
    const size = sizes[Number(String(request.json?.request_id).slice(1)) - 1];
    return {
      body: {
        status: "complete_metadata",
        request_id: request.json?.request_id,
        response_payload_size: size,
      },
    };
  });
  const polls = () => stub.seen("retrieve_future");
  const samples = sizes.map((_, index) =>
    sampler.sample({ prompt: [index], sampling_params: { max_tokens: 1 } }),
  );
  return { samples, polls, fetches: () => polls().filter(isFetch).length, release: () => gate.resolve() };
}

describe("the room for results", () => {
  it("clients 73: of 100 bytes is filled by two results of 80, and the third waits until one is read", async () => {
    const { samples, polls, fetches, release } = await openSampler(100, [80, 80, 80]);
    await until(() => polls().length - fetches() === 3 && fetches() >= 2, "three announcements");
    await pauseForSockets();
    expect(fetches()).toBe(2);
    release();
    await Promise.all(samples);
    expect(fetches()).toBe(3);
  });

  it("clients 73: lets in a result larger than all of it", async () => {
    const { samples, fetches, release } = await openSampler(100, [500]);
    release();
    await Promise.all(samples);
    expect(fetches()).toBe(1);
  });
});
