import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ServiceClient } from "../service/service-client.js";

/** Amount of each kind of work, or the bytes that a round of it leaves. */
export interface HeapWork {
  readonly samples: number;
  readonly steps: number;
  readonly aborts: number;
  readonly samplers: number;
}

/** Operations under way at one time. */
const AT_ONCE = 25;
/** Times that each kind of work is done, a share of it each time. */
const ROUNDS = 3;
const SAMPLE = { prompt: [1, 2, 3], sampling_params: { max_tokens: 1 } };
const DATUM = {
  model_input: [1, 2],
  loss_fn_inputs: { target_tokens: [2, 3], weights: [1, 1] },
};

/**
 * Does each kind of work in rounds, and gives the bytes by which the heap is larger after a round: the least of all, as what leaks
 * grows with each, and pools, caches and compiled code do not. Runs in a process of its own: whatever else a process does shows in
 * its heap.
 */
export async function measureHeap(baseUrl: string, work: HeapWork): Promise<HeapWork> {
  await using service = new ServiceClient({ baseUrl, apiKey: "tml-heap", env: {} });
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  // A signal that outlives all work, as programs have: whatever stays behind on it is a leak.
  const { signal } = new AbortController();
  const kinds: Readonly<Record<keyof HeapWork, (index: number) => Promise<unknown>>> = {
    samples: () => sampler.sample(SAMPLE, { signal }),
    steps: async () => {
      const pass = training.forwardBackward([DATUM], "cross_entropy", { signal });
      await Promise.all([pass, training.optimStep({ learning_rate: 1e-4 }, { signal })]);
    },
    aborts: async (index) => {
      const controller = new AbortController();
      const sample = sampler.sample(SAMPLE, { signal: controller.signal });
      const outcome = sample.catch(() => {});
      // Before it is sent, while it is, and while its result is waited for.
      if (index % 3 === 1) await new Promise(setImmediate);
      if (index % 3 === 2) await sample.submitted.catch(() => {});
      controller.abort();
      await outcome;
    },
    samplers: async () => {
      const each = await service.createSamplingClient({ base_model: "b" });
      await each.sample(SAMPLE, { signal });
    },
  };
  const growth = async (kind: keyof HeapWork): Promise<number> => {
    const perRound = Math.ceil(work[kind] / ROUNDS);
    await runMany(2 * AT_ONCE, kinds[kind]);
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0, before = await heapBytes(); round < ROUNDS; round += 1) {
      await runMany(perRound, kinds[kind]);
      const after = await heapBytes();
      least = Math.min(least, after - before);
      before = after;
    }
    return least;
  };
  return {
    samples: await growth("samples"),
    steps: await growth("steps"),
    aborts: await growth("aborts"),
    samplers: await growth("samplers"),
  };
}

async function runMany(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await run(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Bytes of the heap that are in use, after what is left of the work has come to its end. */
async function heapBytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  // Reports are gathered for a tenth of a second.
  await new Promise((resolve) => setTimeout(resolve, 150));
  for (let round = 0; round < 4; round += 1) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
