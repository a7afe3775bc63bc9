import { errorMessage, silentLogger } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { ServiceClient } from "../../../client/src/service/service-client.js";
import { type Handler, type Reply, StubService } from "../../../client/src/testing/stub-service.js";
import { ServiceReporter } from "./service-reporter.js";

/** Samples and steps of a run: few in every run of the tests, all of them with TINKEX_TELEMETRY_CAMPAIGN=full. */
const IS_FULL = process.env.TINKEX_TELEMETRY_CAMPAIGN === "full";
const [SAMPLES, STEPS] = IS_FULL ? [2_000, 500] : [24, 8];

/** Every how many samples one is refused first, so that there is something to report. */
const REFUSED_EVERY = 8;

interface RunEnd {
  readonly results: readonly unknown[];
  /** Paths of the requests, in the order of their arrival, but those of telemetry, and heartbeats, which go by the clock. */
  readonly paths: readonly string[];
}

const BESIDE_CALLS = new Set(["telemetry", "session_heartbeat"]);

/** Runs samples and steps one after another, some of which fail, and closes the client. */
async function run(stub: StubService, telemetry: ServiceReporter | false): Promise<RunEnd> {
  stub.requests.length = 0;
  const service = new ServiceClient({
    baseUrl: stub.url,
    env: {},
    telemetry,
    logger: silentLogger,
    retry: { firstDelayMs: 1, maxDelayMs: 1 },
  });
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const results: unknown[] = [];
  const note = (value: unknown) => results.push(value);
  const fail = (error: unknown) => results.push(errorMessage(error).replace(/request r\d+/, "request"));
  for (let step = 0; step < STEPS; step += 1) {
    if (step % REFUSED_EVERY === 0) stub.script("optim_step", { status: 422, body: { detail: "no" } });
    await training.optimStep().then(note, fail);
  }
  for (let count = 0; count < SAMPLES; count += 1) {
    if (count % REFUSED_EVERY === 0) stub.script("asample", { status: 422, body: { detail: `no ${count}` } });
    const sample = { prompt: [count + 1], sampling_params: { max_tokens: 1 } };
    await sampler.sample(sample).then(({ sequences }) => note(sequences), fail);
  }
  const closedAtMs = performance.now();
  await service.close();
  if (IS_FULL) console.info(`closed in ${Math.round(performance.now() - closedAtMs)} ms`);
  return { results, paths: stub.trace.filter((path) => !BESIDE_CALLS.has(path)) };
}

const ENDPOINTS: readonly (readonly [string, Handler])[] = [
  ["answers 401", () => ({ status: 401, body: "" })],
  ["answers 404", () => ({ status: 404, body: "" })],
  ["answers 500", () => ({ status: 500, body: "" })],
  ["hangs", () => new Promise<Reply>(() => {})],
  ["drops the connection", () => ({ isReset: true })],
  [
    "is slow",
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { body: { status: "accepted" } };
    },
  ],
];

describe("a program whose service's endpoint of telemetry", () => {
  it.each(ENDPOINTS)(
    "telemetry 12: %s has the same results and requests in the same order, and sees what was dropped",
    async (name, answer) => {
      const stub = await StubService.start();
      try {
        stub.on("asample", ({ json }) =>
          stub.accept("SampleResponse", {
            sequences: [{ stop_reason: "length", tokens: [Number(json?.seq_id)], logprobs: [-1] }],
            prompt_cache_hit_tokens: 0,
          }),
        );
        const plain = await run(stub, false);
        expect(plain.results).toHaveLength(SAMPLES + STEPS);
        stub.on("telemetry", answer);
        const reporter = new ServiceReporter();
        expect(await run(stub, reporter)).toEqual(plain);
        const { queued, sent, dropped } = reporter.stats;
        if (IS_FULL) console.info(`${name}: ${sent} sent, ${dropped} dropped`);
        expect(queued).toBe(0);
        expect(name === "is slow" ? sent : dropped).toBeGreaterThan(SAMPLES / REFUSED_EVERY);
      } finally {
        await stub.close();
      }
    },
    600_000,
  );
});
