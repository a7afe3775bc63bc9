import { createHook } from "node:async_hooks";
import { silentLogger } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { ServiceClient } from "../../../client/src/service/service-client.js";
import { StubService } from "../../../client/src/testing/stub-service.js";
import { ServiceReporter } from "./service-reporter.js";

/** Calls of which the cheapest counts: a timer of the server's that fires meanwhile makes promises too. */
const ROUNDS = 8;

/** Promises that are made, in the whole process, while a function runs; the fewest of several rounds. */
async function fewestPromises(run: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") count += 1;
    },
  });
  const counts: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    count = 0;
    hook.enable();
    await run();
    hook.disable();
    counts.push(count);
  }
  return Math.min(...counts);
}

describe("a call that succeeds", () => {
  it("makes no promise more with a reporter than without", async () => {
    const stub = await StubService.start();
    stub.on("telemetry", () => ({ body: { status: "accepted" } }));
    const counts: number[][] = [];
    for (const telemetry of [false, new ServiceReporter()]) {
      const service = new ServiceClient({ baseUrl: stub.url, env: {}, telemetry, logger: silentLogger });
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      const sampler = await service.createSamplingClient({ base_model: "b" });
      counts.push([
        await fewestPromises(() => sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } })),
        await fewestPromises(() => training.optimStep()),
      ]);
      await service.close();
    }
    await stub.close();
    const [without, withReporter] = counts;
    expect(without?.every((count) => count > 0)).toBe(true);
    expect(withReporter).toEqual(without);
  });
});
