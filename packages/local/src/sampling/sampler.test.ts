import { AbortedError, ClosedError, ValidationError } from "@tinkex/base";
import { afterAll, describe, expect, it } from "vitest";
import { createAdapterParameters } from "../adapter/adapter-parameters.js";
import type { SampleOutcome } from "../engine/engine.js";
import { largestDifference } from "../training/testing/differences.js";
import type { Sampler } from "./sampler.js";
import { createTinySampler, sampleTask as task, tinyModelConfig } from "./testing/tiny-sampler.js";
import { tokenDistribution } from "./token-distribution.js";

/** Stands where an adapter would. */
const base = undefined;
const samplers: Sampler[] = [];
afterAll(async () => {
  for (const sampler of samplers) await sampler.close();
});

const samplerFor: typeof createTinySampler = async (model, options) => {
  const sampler = await createTinySampler(model, options);
  samplers.push(sampler);
  return sampler;
};

/** A prompt of any length. */
const prompt = (length: number) => Int32Array.from({ length }, (_, i) => (i * 37 + 11) % 384);

/** An adapter that changes the model a good deal. */
function adapter(seed: number, shape = { trainAttention: true, trainMlp: true, trainUnembedding: true }) {
  const parameters = createAdapterParameters(tinyModelConfig("tiny-llama"), { rank: 4, ...shape }, seed);
  for (const { b } of parameters.pairs) b.set(b.map((_, i) => Math.sin(i * seed) / 20));
  return parameters;
}
const tokensOf = ({ sequences }: SampleOutcome) => sequences.map(({ tokens }) => [...tokens]);
const firstLogprobs = ({ sequences }: SampleOutcome) => sequences[0]?.logprobs ?? [];

describe("Sampler", () => {
  it("gives prompts of 3, 17 and 64 tokens the same answers together as alone", async () => {
    const sampler = await samplerFor("tiny-llama");
    const source = adapter(1);
    for (const temperature of [0, 1]) {
      const ask = (length: number) =>
        sampler.sample(task({ prompt: prompt(length), maxTokens: 40, temperature, seed: length }), source);
      const lengths = [3, 17, 64, 20];
      const alone: SampleOutcome[] = [];
      for (const length of lengths) alone.push(await ask(length));
      const together = await Promise.all(lengths.map(ask));
      expect(together.map(tokensOf)).toEqual(alone.map(tokensOf));
      const before = alone.flatMap((outcome) => Array.from(firstLogprobs(outcome)));
      const after = together.flatMap((outcome) => Array.from(firstLogprobs(outcome)));
      expect(largestDifference(after, before)).toBeLessThan(1e-5);
    }
  });

  it("lets requests join while others are under way, without changing those", async () => {
    let turns = 0;
    const joined: Promise<SampleOutcome>[] = [];
    const sampler: Sampler = await samplerFor("tiny-llama", {
      betweenRuns: async () => {
        turns += 1;
        if (turns === 5 || turns === 9) joined.push(sampler.sample(task({ prompt: prompt(turns) }), base));
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const undisturbed = await (await samplerFor("tiny-llama")).sample(task({}), base);
    const first = await sampler.sample(task({}), base);
    expect(tokensOf(first)).toEqual(tokensOf(undisturbed));
    expect(joined).toHaveLength(2);
    await Promise.all(joined);
    // 19 tokens after the one that reading the prompt gives; the last to join comes 9 turns later.
    expect(turns).toBeLessThan(30);
  });

  it("sample i draws from seed + i; equal seeds repeat, others differ", async () => {
    const sampler = await samplerFor("tiny-llama");
    const ask = async (seed: number, sampleCount: number) =>
      tokensOf(await sampler.sample(task({ seed, sampleCount, temperature: 1 }), base));
    const four = await ask(7, 4);
    expect(new Set(four.map(String)).size).toBe(4);
    expect(await ask(7, 4)).toEqual(four);
    expect(await ask(8, 3)).toEqual(four.slice(1));
    expect(await ask(10, 1)).toEqual(four.slice(3));
  });

  it("gives the same samples when few fit side by side", async () => {
    const ask = task({ sampleCount: 7, temperature: 1, maxTokens: 12, stopTokenIds: [206, 242] });
    const tokensWith = async (limits: object) =>
      tokensOf(await (await samplerFor("tiny-llama", { limits })).sample(ask, base));
    const wide = await tokensWith({});
    expect(await tokensWith({ maxRows: 2 })).toEqual(wide);
    expect(await tokensWith({ maxCacheBytes: 1 })).toEqual(wide);
  });

  it("draws tokens as often as their probabilities say", async () => {
    const sampler = await samplerFor("tiny-llama");
    const filter = { temperature: 0.8, topK: 5, topP: 0.95 };
    const { topkPromptLogprobs } = await sampler.sample(
      task({ prompt: Int32Array.of(...prompt(9), 0), maxTokens: 1, topkPromptLogprobs: 384 }),
      base,
    );
    const dense = new Float32Array(384);
    for (let rank = 0; rank < 384; rank++) {
      const place = 9 * 384 + rank;
      dense[topkPromptLogprobs?.tokenIds[place] ?? 0] = topkPromptLogprobs?.logprobs[place] ?? 0;
    }
    const expected = tokenDistribution(dense, filter);
    const sampleCount = 4000;
    const { sequences } = await sampler.sample(
      task({ prompt: prompt(9), maxTokens: 1, sampleCount, ...filter }),
      base,
    );
    const counts = new Map<number, number>();
    for (const { tokens } of sequences) counts.set(tokens[0] ?? -1, (counts.get(tokens[0] ?? -1) ?? 0) + 1);
    const expectedIds = Array.from(expected.ids ?? []);
    expect([...counts.keys()].sort()).toEqual([...expectedIds].sort());
    expectedIds.forEach((id, i) => {
      const p = (expected.weights[i] ?? 0) / expected.total;
      const deviation = Math.sqrt(sampleCount * p * (1 - p));
      expect(Math.abs((counts.get(id) ?? 0) - sampleCount * p)).toBeLessThan(5 * deviation);
    });
  });

  it("keeps adapters of different shapes, and the base model, apart", async () => {
    const sampler = await samplerFor("tiny-llama");
    const sources = [
      base,
      adapter(1),
      adapter(2),
      adapter(1, { trainAttention: false, trainMlp: true, trainUnembedding: false }),
    ];
    const alone: SampleOutcome[] = [];
    for (const source of sources) alone.push(await sampler.sample(task({}), source));
    expect(new Set(alone.map((outcome) => String(tokensOf(outcome)))).size).toBe(sources.length);
    const together = await Promise.all(sources.map((source) => sampler.sample(task({}), source)));
    expect(together.map(tokensOf)).toEqual(alone.map(tokensOf));
  });

  it("reads a long prompt in pieces with the same result", async () => {
    const ask = task({ prompt: prompt(100), wantsPromptLogprobs: true, topkPromptLogprobs: 2 });
    const whole = await (await samplerFor("tiny-llama3")).sample(ask, base);
    const limits = { maxPromptTokensPerRun: 32 };
    const pieces = await (await samplerFor("tiny-llama3", { limits })).sample(ask, base);
    expect(tokensOf(pieces)).toEqual(tokensOf(whole));
    expect(pieces.topkPromptLogprobs?.tokenIds).toEqual(whole.topkPromptLogprobs?.tokenIds);
    const known = ({ promptLogprobs }: SampleOutcome) => promptLogprobs?.subarray(1) ?? [];
    expect(known(whole)).toHaveLength(99);
    expect(largestDifference(known(pieces), known(whole))).toBeLessThan(1e-5);
  });

  it("ends at the context length", async () => {
    const sampler = await samplerFor("tiny-llama");
    const generated = async (length: number) => {
      const { sequences } = await sampler.sample(task({ prompt: prompt(length), maxTokens: 99 }), base);
      expect(sequences[0]?.stopReason).toBe("length");
      return sequences[0]?.tokens.length;
    };
    expect(await generated(509)).toBe(3);
    expect(await generated(511)).toBe(1);
    expect(await generated(512)).toBe(0);
    const filled = await sampler.sample(
      task({ prompt: prompt(512), maxTokens: 1, wantsPromptLogprobs: true }),
      base,
    );
    expect(filled.promptLogprobs).toHaveLength(512);
  });

  it("generates nothing for max_tokens 0", async () => {
    const sampler = await samplerFor("tiny-llama");
    const { sequences } = await sampler.sample(task({ maxTokens: 0, sampleCount: 2 }), base);
    const nothing = { tokens: new Int32Array(0), logprobs: new Float32Array(0), stopReason: "length" };
    expect(sequences).toEqual([nothing, nothing]);
  });

  it.each([
    ["empty", new Int32Array(0), /prompt must hold at least one token, got none/],
    ["too long", prompt(513), /prompt must have at most 512 tokens, .* got 513/],
    ["outside the vocabulary", Int32Array.of(1, 384), /prompt token 1 must be an id from 0 to 383, got 384/],
    ["negative", Int32Array.of(-1), /prompt token 0 must be .*, got -1/],
  ])("refuses a prompt that is %s", async (_, bad, message) => {
    const sampling = (await samplerFor("tiny-llama")).sample(task({ prompt: bad }), base);
    await expect(sampling).rejects.toBeInstanceOf(ValidationError);
    await expect(sampling).rejects.toThrow(message);
  });

  it("frees the row of a request that is aborted, whether it waits or runs", async () => {
    const controller = new AbortController();
    let turns = 0;
    const sampler = await samplerFor("tiny-llama", {
      limits: { maxRows: 1 },
      betweenRuns: async () => {
        turns += 1;
        if (turns === 5) controller.abort();
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    const endless = task({ maxTokens: 500 });
    const running = sampler.sample(endless, base, controller.signal);
    const waiting = sampler.sample(endless, base, controller.signal);
    const next = sampler.sample(task({ maxTokens: 5 }), base);
    await expect(running).rejects.toBeInstanceOf(AbortedError);
    await expect(waiting).rejects.toBeInstanceOf(AbortedError);
    expect((await next).sequences[0]?.tokens).toHaveLength(5);
    expect(turns).toBeLessThan(20);
    await expect(sampler.sample(endless, base, controller.signal)).rejects.toBeInstanceOf(AbortedError);
  });

  it("fails only the request whose weights have diverged, and says so", async () => {
    const sampler = await samplerFor("tiny-llama");
    const broken = adapter(1);
    broken.pairs[0]?.b.fill(Number.NaN);
    const [bad, good] = await Promise.allSettled([
      sampler.sample(task({}), broken),
      sampler.sample(task({}), base),
    ]);
    expect(bad).toMatchObject({ status: "rejected", reason: { message: /weights have diverged/ } });
    expect(good.status).toBe("fulfilled");
  });

  it.each([{ wantsPromptLogprobs: true }, { topkPromptLogprobs: 2 }, { promptAltTokens: 2 }])(
    "gives no scores of a prompt by weights that have diverged: %o",
    async (questions) => {
      const sampler = await samplerFor("tiny-llama");
      const broken = adapter(1);
      broken.pairs[0]?.b.fill(Number.NaN);
      const scoring = sampler.sample(task({ ...questions, maxTokens: 0 }), broken);
      const plain = sampler.sample(task({ ...questions, maxTokens: 0 }), base);
      await expect(scoring).rejects.toThrow(/weights have diverged/);
      expect((await plain).sequences).toHaveLength(1);
    },
  );

  it("fails a request whose stop texts cannot be read, and tries again for the next", async () => {
    let attempts = 0;
    const sampler = await samplerFor("tiny-llama", {
      loadDecoder: async () => {
        attempts += 1;
        if (attempts === 1) throw new Error("no tokenizer");
        return () => "";
      },
    });
    await expect(sampler.sample(task({ stopTexts: ["x"] }), base)).rejects.toThrow("no tokenizer");
    expect((await sampler.sample(task({ stopTexts: ["x"] }), base)).sequences).toHaveLength(1);
  });

  it("rejects what is under way when it is closed", async () => {
    const sampler = await samplerFor("tiny-llama");
    const ended = Promise.allSettled([sampler.sample(task({ sampleCount: 50, maxTokens: 500 }), base)]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await sampler.close();
    expect(await ended).toEqual([{ status: "rejected", reason: expect.any(ClosedError) }]);
    await expect(sampler.sample(task({}), base)).rejects.toBeInstanceOf(ClosedError);
  });
});

describe("requests of several clients", () => {
  it.each([
    ["many requests", Array.from({ length: 24 }, (_, seed) => task({ sessionId: "a", maxTokens: 60, seed }))],
    ["one request of many samples", [task({ sessionId: "a", maxTokens: 60, sampleCount: 24 })]],
  ])("do not wait for %s of another one", async (_, tasks) => {
    const sampler = await samplerFor("tiny-llama", { limits: { maxRows: 4 } });
    let isDone = false;
    const long = Promise.all(tasks.map((one) => sampler.sample(one, base))).then((outcomes) => {
      isDone = true;
      return outcomes;
    });
    for (const sessionId of ["b", "c"]) {
      const outcome = await sampler.sample(task({ sessionId, maxTokens: 2 }), base);
      expect(outcome.sequences[0]?.tokens).toHaveLength(2);
      expect(isDone).toBe(false);
    }
    expect((await long).flatMap(tokensOf)).toHaveLength(24);
  });

  it("share rows evenly where more are asked for than there are", async () => {
    const sampler = await samplerFor("tiny-llama", { limits: { maxRows: 4 } });
    const order: string[] = [];
    const ask = async (sessionId: string, seed: number) => {
      await sampler.sample(task({ sessionId, maxTokens: 10, seed }), base);
      order.push(sessionId);
    };
    const seeds = Array.from({ length: 12 }, (_, seed) => seed);
    await Promise.all([...seeds.map((seed) => ask("a", seed)), ...seeds.map((seed) => ask("b", seed))]);
    const firstHalf = order.slice(0, 12).filter((sessionId) => sessionId === "b").length;
    expect(firstHalf).toBeGreaterThanOrEqual(4);
  });
});

describe("scores that a request asks for", () => {
  /** Log-probabilities of the whole vocabulary behind each position, by the top-k matrix of all of it. */
  async function reference(sampler: Sampler, tokens: Int32Array) {
    const { topkPromptLogprobs } = await sampler.sample(
      task({ prompt: tokens, maxTokens: 1, topkPromptLogprobs: 384 }),
      base,
    );
    return (position: number, id: number) => {
      const start = position * 384;
      const at = topkPromptLogprobs?.tokenIds.subarray(start, start + 384).indexOf(id) ?? -1;
      return topkPromptLogprobs?.logprobs[start + at] ?? Number.NaN;
    };
  }

  it("of targets: each cell that asks, and 0 in the others", async () => {
    const sampler = await samplerFor("tiny-llama");
    const logprob = await reference(sampler, prompt(4));
    const ids = Int32Array.of(5, -1, 300, 0, -1, -1);
    const { promptTargets } = await sampler.sample(
      task({ prompt: prompt(4), maxTokens: 1, promptTargets: { targetsPerToken: 2, ids } }),
      base,
    );
    const expected = [logprob(1, 5), 0, logprob(2, 300), logprob(2, 0), 0, 0];
    expect(largestDifference(promptTargets ?? [], expected)).toBeLessThan(1e-5);
  });

  it("of the last tokens of a prompt alone, also of the likeliest ones", async () => {
    const sampler = await samplerFor("tiny-llama");
    const ask = { prompt: prompt(6), maxTokens: 1, wantsPromptLogprobs: true, topkPromptLogprobs: 2 };
    const all = await sampler.sample(task(ask), base);
    const last = await sampler.sample(task({ ...ask, promptLogprobsLast: 2 }), base);
    expect([...(last.promptLogprobs ?? [])].map(Number.isNaN)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(last.promptLogprobs?.slice(4)).toEqual(all.promptLogprobs?.slice(4));
    expect(last.topkPromptLogprobs?.logprobs.slice(0, 8)).toEqual(new Float32Array(8).fill(-99_999));
    expect(last.topkPromptLogprobs?.logprobs.slice(8)).toEqual(all.topkPromptLogprobs?.logprobs.slice(8));
  });

  it("of the likeliest tokens for each one that is generated, whatever draws it", async () => {
    const sampler = await samplerFor("tiny-llama");
    const outcome = await sampler.sample(
      task({
        prompt: prompt(5),
        maxTokens: 3,
        sampleCount: 2,
        temperature: 1.5,
        topK: 5,
        topkSampleLogprobs: 4,
      }),
      base,
    );
    for (const { tokens, logprobs, topk } of outcome.sequences) {
      expect([topk?.k, topk?.tokenIds.length]).toEqual([4, 12]);
      const whole = Int32Array.of(...prompt(5), ...tokens);
      const logprob = await reference(sampler, whole);
      for (let step = 0; step < 3; step += 1) {
        const ids = [...(topk?.tokenIds.subarray(step * 4, step * 4 + 4) ?? [])];
        const scores = [...(topk?.logprobs.subarray(step * 4, step * 4 + 4) ?? [])];
        expect(
          largestDifference(
            scores,
            ids.map((id) => logprob(5 + step, id)),
          ),
        ).toBeLessThan(1e-4);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
        const rank = ids.indexOf(tokens[step] ?? -1);
        if (rank >= 0) expect(scores[rank]).toBeCloseTo(logprobs[step] ?? 0, 5);
      }
    }
  });

  it("of tokens that are drawn at each position, by the temperature and the seed", async () => {
    const sampler = await samplerFor("tiny-llama");
    const draw = (fields: object) =>
      sampler.sample(
        task({ prompt: prompt(3), maxTokens: 1, temperature: 1, promptAltTokens: 400, ...fields }),
        base,
      );
    const { promptAltTokens } = await draw({ seed: 3, topK: 1 });
    const logprob = await reference(sampler, prompt(3));
    expect(promptAltTokens?.tokenIds).toHaveLength(800);
    const expected = Array.from(promptAltTokens?.tokenIds ?? [], (id, cell) =>
      logprob(cell < 400 ? 1 : 2, id),
    );
    expect(largestDifference(promptAltTokens?.logprobs ?? [], expected)).toBeLessThan(1e-5);
    // Likely tokens come several times, and many never.
    const distinct = new Set(promptAltTokens?.tokenIds.subarray(0, 400)).size;
    expect(distinct).toBeGreaterThan(10);
    expect(distinct).toBeLessThan(384);
    expect((await draw({ seed: 3 })).promptAltTokens).toEqual(promptAltTokens);
    expect((await draw({ seed: 4 })).promptAltTokens).not.toEqual(promptAltTokens);
    const greedy = (await draw({ temperature: 0 })).promptAltTokens;
    expect(new Set(greedy?.tokenIds.subarray(0, 400)).size).toBe(1);
  });
});
