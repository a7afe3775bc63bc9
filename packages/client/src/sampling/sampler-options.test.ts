import { describe, expect, it } from "vitest";
import { throughSleeps } from "../testing/open-service.js";
import { openTraining } from "../testing/open-training.js";
import type { SamplerOptions } from "./sampler-options.js";
import type { SamplingClient } from "./sampling-client.js";

const PARAMS = { prompt: [1], sampling_params: { max_tokens: 1 } };
const PATH = "tinker://S:train:0/sampler_weights/a";
type Open = Awaited<ReturnType<typeof openTraining>>;

/** Every way to make a sampler. */
const WAYS: readonly [string, (open: Open, options: SamplerOptions) => PromiseLike<SamplingClient>][] = [
  [
    "service.createSamplingClient",
    ({ service }, o) => service.createSamplingClient({ base_model: "b", ...o }),
  ],
  ["training.createSamplingClient", ({ training }, o) => training.createSamplingClient(PATH, o)],
  ["saveWeightsAndGetSamplingClient", ({ training }, o) => training.saveWeightsAndGetSamplingClient(o)],
];

describe.each(WAYS)("%s", (_name, make) => {
  it("takes limits on making failed samples again", async () => {
    const open = await openTraining();
    const { stub, clock } = open;
    const sampler = await make(open, { retry: { maxRetries: 2 } });
    stub.on("asample", () => ({ status: 410, body: { detail: "forgotten" } }));
    await expect(throughSleeps(clock, sampler.sample(PARAMS))).rejects.toMatchObject({ status: 410 });
    expect(stub.seen("asample")).toHaveLength(3);
    const single = await make(open, { retry: { maxRetries: 0 } });
    await expect(single.sample(PARAMS)).rejects.toMatchObject({ status: 410 });
    expect(stub.seen("asample")).toHaveLength(4);
  });

  it("gives samplers whose samples are recorded for stability, unless one says otherwise", async () => {
    const open = await openTraining();
    const sampler = await make(open, { record_stability_info: true });
    await sampler.sample(PARAMS);
    await sampler.sample({ ...PARAMS, record_stability_info: false });
    expect(open.stub.seen("asample").map(({ json }) => json?.record_stability_info ?? false)).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    [{ record_stability_info: 1 }, "record_stability_info must be a boolean, got a number"],
    [
      { retry: { maxRetries: -1 } },
      "retry.maxRetries must be a whole number of 0 or more, or Infinity, got -1",
    ],
    [{ retry: { progressTimeoutMs: "5" } }, "retry.progressTimeoutMs must be 0 or more milliseconds"],
    [{ retry: { retries: 1 } }, "retries"],
  ])("refuses %j before anything is sent", async (options, message) => {
    const open = await openTraining();
    const before = open.stub.requests.length;
    expect(() => make(open, options as never)).toThrow(message);
    expect(open.stub.requests.length).toBe(before);
  });
});

it("gives samples up as stuck after the time that was asked for", async () => {
  const open = await openTraining();
  const { stub, service, clock } = open;
  const sampler = await service.createSamplingClient({
    base_model: "b",
    retry: { progressTimeoutMs: 5_000 },
  });
  stub.on("asample", () => ({ status: 410, body: { detail: "forgotten" } }));
  await expect(throughSleeps(clock, sampler.sample(PARAMS))).rejects.toThrow("requests are stuck");
});
