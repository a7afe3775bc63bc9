import { deferred } from "@tinkex/base";
import { expect, it } from "vitest";
import { openService } from "../testing/open-service.js";

it("clients 80: three hundred prompts are sampled fifty at a time, and given as they are done, with their positions", async () => {
  const { stub, service } = await openService();
  const sampler = await service.createSamplingClient({ base_model: "b" });
  let underWay = 0;
  let most = 0;
  const submit = stub.usual("asample");
  const fetch = stub.usual("retrieve_future");
  // No result comes before there are as many as there may be.
  const full = deferred<void>();
  stub.on("asample", (request) => {
    underWay += 1;
    most = Math.max(most, underWay);
    if (underWay === 50) full.resolve();
    return submit(request);
  });
  stub.on("retrieve_future", async (request) => {
    await full.promise;
    underWay -= 1;
    return fetch(request);
  });
  const requests = Array.from({ length: 300 }, (_, index) => ({
    prompt: [index],
    sampling_params: { max_tokens: 1 },
  }));
  const positions: number[] = [];
  for await (const { index, error } of sampler.sampleMany(requests, { concurrency: 50 })) {
    expect(error).toBeUndefined();
    positions.push(index);
  }
  expect(most).toBe(50);
  expect([...positions].sort((a, b) => a - b)).toEqual(requests.map((_, index) => index));
});

it("clients 80: leaving the loop gives up the others", async () => {
  const { stub, service } = await openService();
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const requests = Array.from({ length: 1000 }, () => ({ prompt: [1], sampling_params: { max_tokens: 1 } }));
  for await (const _ of sampler.sampleMany(requests, { concurrency: 50 })) break;
  const submitted = stub.seen("asample").length;
  expect(submitted).toBeLessThan(200);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(stub.seen("asample").length - submitted).toBeLessThanOrEqual(50);
});
