import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SampleOutcome, SampleTask } from "../engine/engine.js";
import { createRuntime } from "../runtime/create-runtime.js";
import type { CachedGraph } from "../runtime/session-cache.js";
import { Dice } from "../testing/fuzz/dice.js";
import { openGoldenModel } from "../training/testing/golden-files.js";
import { decodeGraph } from "./decode-graph.js";
import { DecodeModel } from "./decode-model.js";
import { bytesPerToken } from "./key-values.js";
import { PromptCache } from "./prompt-cache.js";
import { SampleRequest } from "./sample-request.js";
import { SamplingBatch, type SamplingLimits } from "./sampling-batch.js";
import { sampleTask } from "./testing/tiny-sampler.js";

const { config, weights } = openGoldenModel("tiny-llama");
let session: CachedGraph & { release(): Promise<void> };
beforeAll(async () => {
  const runtime = await createRuntime({ runtime: "native", threads: 1 });
  session = await runtime.compile(decodeGraph(config, weights, new Set()));
});
afterAll(async () => {
  await session.release();
  weights.close();
});

const LIMITS: SamplingLimits = { maxRows: 8, maxCacheBytes: 2 ** 24, maxPromptTokensPerRun: 64 };
const prompt = (length: number, from = 11) => Int32Array.from({ length }, (_, i) => (i * 37 + from) % 384);

/** A batch, and the number of rows of each run that reads prompts. */
function countedBatch(limits: Partial<SamplingLimits> = {}) {
  const reads: number[] = [];
  const graph: CachedGraph = {
    run(feeds) {
      const [rows = 0, time = 0] = feeds.tokens?.dims ?? [];
      if (time > 1) reads.push(rows);
      return session.run(feeds);
    },
  };
  const model = new DecodeModel(config, graph, undefined);
  const batch = new SamplingBatch(model, config, { ...LIMITS, ...limits }, async () => {});
  const add = (task: Partial<SampleTask>) => {
    const request = new SampleRequest(sampleTask(task), { ...config, decode: () => "" }, undefined);
    batch.add(request);
    return request.outcome;
  };
  const finish = async () => {
    while (!batch.isIdle) await batch.advance();
  };
  return { batch, add, finish, reads };
}

/** Tells whether a request has been answered, once everything that is ready has run. */
async function isSettled(outcome: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    outcome.then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ]);
}

describe("a prompt that several requests have", () => {
  const asked = { prompt: prompt(20), temperature: 1, maxTokens: 6 };

  it("is read once for all that wait, also where not all have a row, with the samples of one request", async () => {
    const whole = countedBatch();
    const together = whole.add({ ...asked, sampleCount: 12, seed: 5 });
    await whole.finish();
    const single = countedBatch();
    const alone = Array.from({ length: 12 }, (_, i) => single.add({ ...asked, seed: 5 + i }));
    await single.finish();
    expect(single.reads).toEqual([1]);
    const sequences = (await Promise.all(alone)).flatMap((outcome) => outcome.sequences);
    expect(sequences.map(({ tokens }) => [...tokens])).toEqual(
      (await together).sequences.map(({ tokens }) => [...tokens]),
    );
    expect(new Set(sequences.map(({ tokens }) => tokens.join())).size).toBeGreaterThan(1);
  });

  it("is not read again for one that comes while others are under way", async () => {
    const { batch, add, finish, reads } = countedBatch();
    const first = add(asked);
    await batch.advance();
    await batch.advance();
    const second = add(asked);
    await finish();
    expect(reads).toEqual([1]);
    expect((await second).sequences).toEqual((await first).sequences);
  });

  it("is read beside other prompts of its length, and those of another length after it", async () => {
    const { add, finish, reads } = countedBatch();
    for (const from of [11, 12, 11, 12]) void add({ ...asked, prompt: prompt(20, from) });
    void add({ ...asked, prompt: prompt(40) });
    await finish();
    expect(reads).toEqual([2, 1]);
  });

  it("is there for those that were counted on it, though others that are read beside it take its place", async () => {
    const own = 20 * bytesPerToken(config) + config.vocabularySize * Float32Array.BYTES_PER_ELEMENT;
    // A quarter is for prompts that have been read: one of them has room there.
    const { batch, add, finish, reads } = countedBatch({ maxCacheBytes: 6 * own });
    const first = add(asked);
    await batch.advance();
    const other = add({ ...asked, prompt: prompt(20, 12) });
    const again = add(asked);
    await finish();
    expect(reads).toEqual([1, 1]);
    const outcomes = await Promise.all([first, other, again].map(isSettled));
    expect(outcomes).toEqual([true, true, true]);
    expect((await again).sequences).toEqual((await first).sequences);
  });

  it("is answered for whoever asks, in any order and whatever room there is", async () => {
    for (let seed = 0; seed < 6; seed += 1) {
      const dice = new Dice(seed, "prompts in any order");
      const own = 20 * bytesPerToken(config) + config.vocabularySize * Float32Array.BYTES_PER_ELEMENT;
      const { batch, add, finish } = countedBatch({ maxCacheBytes: (4 + dice.below(12)) * own });
      const asking: Promise<SampleOutcome>[] = [];
      for (let step = 0; step < 30; step += 1) {
        for (let count = dice.below(4); count > 0; count -= 1) {
          const from = 11 + dice.below(5);
          const length = dice.hits(0.2) ? 40 : 20;
          asking.push(add({ ...asked, prompt: prompt(length, from), maxTokens: 1 + dice.below(3) }));
        }
        await batch.advance();
      }
      await finish();
      const outcomes = await Promise.all(asking.map(isSettled));
      expect(
        outcomes.filter((settled) => !settled),
        `left alone, seed ${seed}`,
      ).toEqual([]);
    }
  });

  it("is read for itself where its own scores are wanted", async () => {
    const { add, finish, reads } = countedBatch();
    const plain = add(asked);
    const scored = [
      add({ ...asked, wantsPromptLogprobs: true }),
      add({ ...asked, wantsPromptLogprobs: true }),
    ];
    await finish();
    expect(reads).toEqual([2, 1]);
    const [first, second] = await Promise.all(scored);
    expect(first?.promptLogprobs).toHaveLength(20);
    expect(second?.promptLogprobs).toEqual(first?.promptLogprobs);
    expect((await plain).sequences[0]?.tokens).toEqual(first?.sequences[0]?.tokens);
  });

  it("is read once in pieces where it is long, for whoever still wants it", async () => {
    const { batch, add, finish, reads } = countedBatch({ maxPromptTokensPerRun: 16 });
    const controller = new AbortController();
    const task = sampleTask({ ...asked, prompt: prompt(48) });
    const aborted = new SampleRequest(task, { ...config, decode: () => "" }, controller.signal);
    batch.add(aborted);
    const wanted = add({ ...asked, prompt: prompt(48) });
    const failed = expect(aborted.outcome).rejects.toThrow("aborted");
    const reading = batch.advance();
    controller.abort();
    await reading;
    await finish();
    await failed;
    expect(reads).toEqual([1, 1, 1]);
    expect((await wanted).sequences[0]?.tokens).toHaveLength(6);
  });
});

describe("PromptCache", () => {
  const layout = { layerCount: 1, keyValueHeadCount: 1, headSize: 2 };
  /** A prompt of `length` tokens, 16 bytes each, beside another in one run, and 8 bytes of logits. */
  const read = (length: number, value: number) => {
    const part = () => [new Float32Array(2 * length * 2).fill(value)];
    const keyValues = { rows: 2, time: length, keys: part(), values: part() };
    return {
      keyValues,
      row: 1,
      length,
      prediction: { logits: Float32Array.of(value, 0), normaliser: value },
    };
  };

  it("keeps what was used last, within its bytes", () => {
    const cache = new PromptCache(layout, 2 * (4 * 16 + 8));
    cache.add("a", read(4, 1));
    cache.add("b", read(4, 2));
    expect(cache.get("a")?.prediction.logits).toEqual(Float32Array.of(1, 0));
    cache.add("c", read(4, 3));
    expect(["a", "b", "c"].map((key) => cache.has(key))).toEqual([true, false, true]);
    cache.add("too long", read(9, 4));
    expect(["a", "c", "too long"].map((key) => cache.has(key))).toEqual([true, true, false]);
  });

  it("copies the row, so that the run's other rows can go", () => {
    const cache = new PromptCache(layout, 1_000);
    const prompt = read(4, 7);
    cache.add("a", prompt);
    for (const array of [...prompt.keyValues.keys, ...prompt.keyValues.values, prompt.prediction.logits])
      array.fill(0);
    expect(cache.get("a")).toEqual({
      keyValues: {
        rows: 1,
        time: 4,
        keys: [new Float32Array(8).fill(7)],
        values: [new Float32Array(8).fill(7)],
      },
      row: 0,
      length: 4,
      prediction: { logits: Float32Array.of(7, 0), normaliser: 7 },
    });
  });
});
