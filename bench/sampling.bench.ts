// Sampling 64 answers to one prompt on a local server: as one request, as 64 requests, and as 64 requests of prompts that differ.
// `pnpm bench sampling`. The answers are compared first: sample `i` of a request draws from the seed plus `i`.
import { isDeepStrictEqual } from "node:util";
import { ServiceClient } from "@tinkex/client";
import { startLocalServer } from "@tinkex/local";

const SAMPLES = 64;
const PROMPT_TOKENS = 300;
const ROUNDS = 7;
/** Few, so that reading the prompt is a good part of the time; and as many as an answer has. */
const MAX_TOKENS = [8, 64];

const numbers = Array.from({ length: SAMPLES }, (_, i) => i);
/** Ids of ordinary tokens; `from` makes prompts differ from the first token on. */
const prompt = (from: number) =>
  Array.from({ length: PROMPT_TOKENS }, (_, i) => 60 + ((i * 7 + from * 13) % 150));

await using server = await startLocalServer();
await using service = new ServiceClient({ baseUrl: server.url, apiKey: "tml-bench" });
const sampler = await service.createSamplingClient({ base_model: "tinkex/pocket-1" });

for (const max_tokens of MAX_TOKENS) await compare(max_tokens);

async function compare(max_tokens: number): Promise<void> {
  const params = (seed: number) => ({ max_tokens, temperature: 1, seed, stop: [] });
  const single = (from: (i: number) => number) => async () => {
    const results = await Promise.all(
      numbers.map((i) => sampler.sample({ prompt: prompt(from(i)), sampling_params: params(1 + i) })),
    );
    return results.flatMap(({ sequences }) => sequences);
  };
  const variants = {
    "one request": async () => {
      const request = { prompt: prompt(0), num_samples: SAMPLES, sampling_params: params(1) };
      return [...(await sampler.sample(request)).sequences];
    },
    "64 requests of one prompt": single(() => 0),
    "64 requests of 64 prompts": single((i) => i),
  };
  const tokens = async (run: () => Promise<readonly { readonly tokens: ArrayLike<number> }[]>) =>
    (await run()).map((sequence) => Array.from(sequence.tokens));
  const whole = await tokens(variants["one request"]);
  if (!isDeepStrictEqual(await tokens(variants["64 requests of one prompt"]), whole))
    throw new Error("the answers of single requests differ from those of one request");
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of Object.entries(variants)) {
      const start = performance.now();
      await run();
      times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  }
  const base = median(times.get("one request") ?? []);
  console.log(
    `${SAMPLES} answers of ${max_tokens} tokens to a prompt of ${PROMPT_TOKENS}, median of ${ROUNDS}`,
  );
  for (const [name, all] of times)
    console.log(`  ${name}: ${median(all).toFixed(0)} ms, ${(median(all) / base).toFixed(2)} x`);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
