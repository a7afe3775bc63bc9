// Cost of a place that publishes while `instrument()` listens: the spans and metrics of one call, one try of a request and one wait in
// the queue, and the same with nobody listening (goal: < 20 ns). Results are checked first. `pnpm bench telemetry-otel`
import { performance } from "node:perf_hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { diagnosticsChannels } from "../packages/client/src/events/diagnostics-channels.js";
import { EventHub } from "../packages/client/src/events/event-hub.js";
import { RequestEvents } from "../packages/client/src/events/request-events.js";
import { instrument } from "../packages/telemetry/src/otel.js";

/** Runs are shorter than the machine lets a process work at a time, and the best of them counts: one that nothing came between. */
const RUNS = 500;
const UNHEARD_ROUNDS = 100_000;
const TRACED_ROUNDS = 200;
const UNHEARD_GOAL_NS = 20;

const hub = new EventHub({
  clock: { now: Date.now, monotonic: () => performance.now() },
  clientId: "bench",
  baseUrl: "http://127.0.0.1:1",
  channels: diagnosticsChannels(),
});
const attempt = { method: "POST", url: "http://127.0.0.1:1/api/v1/asample", attempt: 1, byteLength: 1_000 };
const end = { status: 200, outcome: "answered 200", answerByteLength: 100, durationMs: 1 };

/** One try of a request, as the client publishes it. */
async function publishTry(): Promise<void> {
  if (!hub.isHeard("request")) return;
  const events = new RequestEvents(hub, "asample", 1);
  await events.aroundTry(attempt, async () => events.ended(attempt, end));
}

/** Nanoseconds of one round, the best of all runs. */
async function nanoseconds(rounds: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round += 1) await publishTry();
    best = Math.min(best, ((performance.now() - startedAt) * 1e6) / rounds);
  }
  return best;
}

/** Nanoseconds of the question alone that a place asks before it publishes. */
function nanosecondsUnheard(): number {
  let heard = 0;
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    const startedAt = performance.now();
    for (let round = 0; round < UNHEARD_ROUNDS; round += 1) if (hub.isHeard("request")) heard += 1;
    best = Math.min(best, ((performance.now() - startedAt) * 1e6) / UNHEARD_ROUNDS);
  }
  if (heard > 0) throw new Error("somebody listens");
  return best;
}

function report(name: string, measured: number, goal?: number): void {
  const wanted = goal === undefined ? "" : `  (goal < ${goal} ns)`;
  console.log(`${name.padEnd(40)} ${measured.toFixed(1).padStart(9)} ns${wanted}`);
  if (goal !== undefined && measured >= goal) process.exitCode = 1;
}

report("unheard", nanosecondsUnheard(), UNHEARD_GOAL_NS);

const memory = new InMemorySpanExporter();
const recorded = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).getTracer(
  "b",
);
const check = instrument({ tracer: recorded });
await publishTry();
check();
if (memory.getFinishedSpans().length !== 1) throw new Error("a try must be one span");

const undo = instrument({ tracer: new BasicTracerProvider().getTracer("bench") });
report("a traced try, with the SDK's span", await nanoseconds(TRACED_ROUNDS));
undo();
report("unheard again", nanosecondsUnheard(), UNHEARD_GOAL_NS);
