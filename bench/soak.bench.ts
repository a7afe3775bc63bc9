// Mixed work of several clients on a local server for a long time, with what the server holds each minute: `pnpm bench soak [MINUTES]`, 60
// by default. After a warm-up of a third of the time, memory and handles must be flat, or it ends with exit code 1.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceClient } from "@tinkex/client";

const minutes = Number(process.argv[2] ?? 60);
const CLIENTS = 4;
const MINUTE_MS = 60_000;
/** Growth of memory, and of handles, that is still flat. */
const MAX_GROWTH = 1.15;
const MAX_MORE_HANDLES = 20;

interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly handles: number;
  readonly resources: Readonly<Record<string, number>>;
}

const server = fork(new URL("health-server.mjs", import.meta.url), {
  execArgv: ["--conditions=@tinkex/source", "--import=tsx", "--expose-gc"],
});
const [{ url, model }] = (await once(server, "message")) as [
  { readonly url: string; readonly model: string },
];
const endsAt = Date.now() + minutes * MINUTE_MS;
const done = { steps: 0, samples: 0, saves: 0, deletions: 0, cancelled: 0, sessions: 0 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** One client after another: trains, saves, samples, deletes, gives up, and closes its session. */
async function work(lane: number): Promise<void> {
  while (Date.now() < endsAt) {
    const service = new ServiceClient({ baseUrl: url, env: {}, logger: silent });
    done.sessions += 1;
    try {
      const training = await service.createLoraTrainingClient({ base_model: model, rank: 4, seed: lane });
      for (let step = 0; step < 6 && Date.now() < endsAt; step += 1) {
        const tokens = Array.from({ length: 32 }, (_, i) => 50 + ((i * 7 + step + lane) % 100));
        const data = [
          { model_input: tokens.slice(0, -1), loss_fn_inputs: { target_tokens: tokens.slice(1) } },
        ];
        const pass = training.forwardBackward(data, "cross_entropy");
        await training.optimStep({ learning_rate: 1e-3 });
        await pass;
        done.steps += 1;
      }
      const { path } = await training.saveState("state");
      await training.saveState("short", { ttl_seconds: 5 });
      done.saves += 2;
      const sampler = await training.saveWeightsAndGetSamplingClient();
      const prompt = [60, 61, 62];
      const samples = Array.from({ length: 8 }, (_, i) =>
        sampler.sample({ prompt, sampling_params: { max_tokens: 16, seed: i } }),
      );
      await Promise.all(samples);
      done.samples += samples.length;
      const givenUp = new AbortController();
      const long = sampler.sample(
        { prompt, sampling_params: { max_tokens: 200, seed: 1, stop: [] } },
        { signal: givenUp.signal },
      );
      givenUp.abort();
      await long.catch(() => {});
      done.cancelled += 1;
      await service.rest.deleteCheckpointFromTinkerPath(path);
      done.deletions += 1;
    } finally {
      await service.close();
    }
  }
}

async function usage(): Promise<Usage> {
  server.send("usage");
  const [answer] = (await once(server, "message")) as [Usage];
  return answer;
}

const series: Usage[] = [];
const lanes = Promise.all(Array.from({ length: CLIENTS }, (_, lane) => work(lane)));
for (let minute = 1; minute <= minutes; minute += 1) {
  await Promise.race([sleep(MINUTE_MS), lanes]);
  const now = await usage();
  series.push(now);
  const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
  console.log(
    `minute ${minute}: RSS ${mib(now.rss)} MiB, heap ${mib(now.heapUsed)} MiB, external ${mib(now.external)} MiB, ` +
      `${now.handles} handles ${JSON.stringify(now.resources)}; ${JSON.stringify(done)}`,
  );
}
await lanes;
server.disconnect();

const warm = series.slice(Math.floor(series.length / 3));
const [first] = warm;
const last = warm.at(-1);
if (first !== undefined && last !== undefined) {
  const isFlat = last.rss <= first.rss * MAX_GROWTH && last.handles <= first.handles + MAX_MORE_HANDLES;
  console.log(`after the warm-up: RSS ${isFlat ? "and handles flat" : "or handles grew"}`);
  if (!isFlat) process.exitCode = 1;
}
