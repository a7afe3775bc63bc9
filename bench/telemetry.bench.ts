// Cost of reporting to the service for calls that succeed: samples of a client with a reporter beside those of one without, in turns.
// Goals: p99 and processor time ≤ 1.02 x. `pnpm bench telemetry`. Results are checked in every turn.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ServiceClient } from "@tinkex/client";
import { ServiceReporter } from "@tinkex/telemetry";

const TURNS = 40;
const SAMPLES_A_TURN = 400;
const AT_ONCE = 20;
const WARM_UP_TURNS = 5;

const server = fork(join(import.meta.dirname, "client-server.mjs"), ["0"], { execArgv: [] });
const [{ ports }] = (await once(server, "message")) as [{ readonly ports: readonly number[] }];
const [port] = ports;
const baseUrl = `http://127.0.0.1:${port}`;

interface Variant {
  readonly name: string;
  readonly service: ServiceClient;
  readonly sample: (index: number) => Promise<number | undefined>;
  readonly durationsMs: number[];
  readonly cpuMs: number[];
}

async function open(name: string, telemetry: ServiceReporter | false): Promise<Variant> {
  const service = new ServiceClient({ baseUrl, apiKey: "tml-bench", telemetry });
  const sampler = await service.createSamplingClient({ base_model: "Qwen/Qwen3-8B" });
  const sample = async (index: number): Promise<number | undefined> => {
    const { sequences } = await sampler.sample({
      prompt: [index, 2, 3],
      sampling_params: { max_tokens: 64 },
    });
    return sequences[0]?.tokens[0];
  };
  return { name, service, sample, durationsMs: [], cpuMs: [] };
}

async function takeTurn({ sample, durationsMs, cpuMs }: Variant, isNoted: boolean): Promise<void> {
  let next = 0;
  const cpu = process.cpuUsage();
  const work = async (): Promise<void> => {
    while (next < SAMPLES_A_TURN) {
      const index = next;
      next += 1;
      const startedAtMs = performance.now();
      if ((await sample(index)) !== index) throw new Error(`sample ${index} got the result of another`);
      if (isNoted) durationsMs.push(performance.now() - startedAtMs);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(cpu);
  if (isNoted) cpuMs.push((user + system) / 1_000);
}

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const variants = [await open("without", false), await open("with a reporter", new ServiceReporter())];
for (let turn = -WARM_UP_TURNS; turn < TURNS; turn += 1) {
  // Whoever comes first in a turn pays for garbage of the other.
  const order = turn % 2 === 0 ? variants : [...variants].reverse();
  for (const variant of order) await takeTurn(variant, turn >= 0);
}
const [plain] = variants;
console.log(`${TURNS} turns of ${SAMPLES_A_TURN} samples, ${AT_ONCE} at once`);
for (const { name, durationsMs, cpuMs } of variants) {
  const p99Ms = at(durationsMs, 0.99);
  const cpu = at(cpuMs, 0.5);
  const ratios =
    plain === undefined
      ? []
      : [p99Ms / at(plain.durationsMs, 0.99), cpu / at(plain.cpuMs, 0.5)].map((ratio) => ratio.toFixed(3));
  console.log(
    `${name}: p99 ${p99Ms.toFixed(2)} ms (${ratios[0]} x), ${cpu.toFixed(0)} ms of processor a turn (${ratios[1]} x)`,
  );
}
for (const { service } of variants) await service.close();
server.disconnect();
