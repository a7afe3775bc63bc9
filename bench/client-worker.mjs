// One side of client.bench.ts, in a process of its own: `node client-worker.mjs tinkex|undici ORIGIN`. Does the work that its parent
// names, checks every result, and answers with what it took.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { maxRssKb } from "./max-rss.mjs";

const [side, origin] = process.argv.slice(2);
const PROMPT_LENGTH = 256;
const LENGTH = 64;
const DATUMS = 128;
const DATUM_LENGTH = 512;
/** Most submissions of samples on their way, as the API wants it. */
const MAX_SUBMISSIONS = 400;

/** Second token of every sample, as it lies in the bytes. */
const SECOND_TOKEN = Buffer.from(Int32Array.of(7919).buffer);

/** A prompt that begins with the number of its sample, by which its result is known. */
const promptOf = (index) => Array.from({ length: PROMPT_LENGTH }, (_, at) => (at === 0 ? index : 1_000 + at));

async function openTinkex() {
  const { ServiceClient } = await import("@tinkex/client");
  const service = new ServiceClient({ baseUrl: origin, apiKey: "tml-bench" });
  const sampler = await service.createSamplingClient({ base_model: "Qwen/Qwen3-8B" });
  let training;
  return {
    sample: async (prompt) => {
      const { sequences } = await sampler.sample({ prompt, sampling_params: { max_tokens: LENGTH } });
      return { first: sequences[0].tokens[0], length: sequences[0].tokens.length };
    },
    trainSteps: async (count) => {
      training ??= await service.createLoraTrainingClient({ base_model: "Qwen/Qwen3-8B" });
      const steps = [];
      for (let step = 0; step < count; step += 1) {
        steps.push(
          training.forwardBackward(examples, "cross_entropy"),
          training.optimStep({ learning_rate: 1e-4 }),
        );
      }
      const results = await Promise.all(steps);
      for (let step = 0; step < count; step += 1) {
        const outputs = results[2 * step].loss_fn_outputs;
        const last = outputs[DATUMS - 1].logprobs.data;
        if (outputs.length !== DATUMS || last.length !== DATUM_LENGTH)
          throw new Error("a wrong training result");
      }
    },
  };
}

async function openUndici() {
  // Not loaded for the other side, whose memory is measured.
  const { Pool } = await import("undici");
  const pool = new Pool(origin, { connections: null, headersTimeout: 0, bodyTimeout: 0 });
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "x-api-key": "tml-bench",
    "x-tinker-sampling-backpressure": "1",
  };
  const post = async (path, record, accept) => {
    const body = JSON.stringify(record);
    const options = { path: `/api/v1/${path}`, method: "POST", headers: { ...headers, accept }, body };
    const answer = await pool.request(options);
    if (answer.statusCode !== 200) throw new Error(`${path} was answered ${answer.statusCode}`);
    return answer.body;
  };
  const waiting = [];
  let submissions = 0;
  const submit = async (record) => {
    if (submissions === MAX_SUBMISSIONS) await new Promise((resolve) => waiting.push(resolve));
    else submissions += 1;
    try {
      return await (await post("asample", record, "application/json")).json();
    } finally {
      if (waiting.length === 0) submissions -= 1;
      else waiting.shift()();
    }
  };
  let seqId = 0;
  const nextSeqId = () => {
    seqId += 1;
    return seqId;
  };
  let firstTokenAt;
  return {
    sample: async (prompt) => {
      const { request_id } = await submit({
        sampling_session_id: "s:sample:0",
        seq_id: nextSeqId(),
        num_samples: 1,
        prompt: { chunks: [{ type: "encoded_text", tokens: prompt }] },
        sampling_params: { max_tokens: LENGTH },
        prompt_logprobs: false,
        topk_prompt_logprobs: 0,
      });
      const body = await post("retrieve_future", { request_id }, "application/x-protobuf, application/json");
      const bytes = Buffer.from(await body.arrayBuffer());
      // All results have one form: it is enough to look at one place, and less than decoding takes.
      firstTokenAt ??= bytes.indexOf(SECOND_TOKEN) - 4;
      return { first: bytes.readInt32LE(firstTokenAt), length: LENGTH };
    },
  };
}

const examples = Array.from({ length: DATUMS }, (_, datum) => {
  const tokens = Array.from(
    { length: DATUM_LENGTH },
    (_, at) => ((datum * DATUM_LENGTH + at) * 7919) % 151_643,
  );
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens }] },
    loss_fn_inputs: { target_tokens: tokens, weights: tokens.map((token) => token / 151_643) },
  };
});

/** Draws so many samples at once. Gives the milliseconds of each call until it had returned its promise. */
async function sampleMany(client, count) {
  const prompts = Array.from({ length: count }, (_, index) => promptOf(index));
  const submitMs = [];
  const before = begin();
  const samples = prompts.map((prompt) => {
    const startedAtMs = performance.now();
    const sample = client.sample(prompt);
    submitMs.push(performance.now() - startedAtMs);
    return sample;
  });
  const results = await Promise.all(samples);
  const took = end(before);
  for (const [index, { first, length }] of results.entries()) {
    if (first !== index || length !== LENGTH) throw new Error(`sample ${index} got the result of ${first}`);
  }
  return { ...took, submitP50Ms: submitMs.sort((a, b) => a - b)[count >> 1] };
}

const begin = () => ({ atMs: performance.now(), cpu: process.cpuUsage() });

function end({ atMs, cpu }) {
  const tookMs = performance.now() - atMs;
  const { user, system } = process.cpuUsage(cpu);
  return { tookMs, cpuMs: (user + system) / 1000, maxRssMb: maxRssKb() / 1024 };
}

/** Counts the requests that undici is given until their answers are there, and the connections it makes, while `work` runs. */
async function countingSockets(work) {
  const requests = { now: 0, most: 0 };
  const sockets = { now: 0, most: 0 };
  const more = (count) => {
    count.now += 1;
    count.most = Math.max(count.most, count.now);
  };
  const listeners = {
    "undici:request:create": () => more(requests),
    "undici:request:trailers": () => {
      requests.now -= 1;
    },
    "undici:client:connected": ({ socket }) => {
      more(sockets);
      socket.once("close", () => {
        sockets.now -= 1;
      });
    },
  };
  for (const [channel, listener] of Object.entries(listeners)) subscribe(channel, listener);
  try {
    return { ...(await work()), sockets: { most: sockets.most, underWay: requests.most } };
  } finally {
    for (const [channel, listener] of Object.entries(listeners)) unsubscribe(channel, listener);
  }
}

async function trainSteps(client, count) {
  const before = begin();
  await client.trainSteps(count);
  return end(before);
}

const client = await (side === "tinkex" ? openTinkex() : openUndici());
const idleRssMb = process.memoryUsage().rss / 2 ** 20;
const work = ({ samples, steps, countsSockets = false }) => {
  if (steps !== undefined) return trainSteps(client, steps);
  return countsSockets ? countingSockets(() => sampleMany(client, samples)) : sampleMany(client, samples);
};
process.on("message", (message) => {
  work(message).then(
    (took) => process.send({ ...took, idleRssMb }),
    (error) => process.send({ error: String(error?.stack ?? error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send("ready");
