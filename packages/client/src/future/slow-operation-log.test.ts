import { FakeClock } from "@tinkex/base/testing";
import { expect, it } from "vitest";
import { datum } from "../testing/examples.js";
import { type OpenService, openService, throughSleeps } from "../testing/open-service.js";
import { openTraining, step } from "../testing/open-training.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { type OperationUnderWay, SlowOperationLog } from "./slow-operation-log.js";

/** Has polls for results told to wait 15 s until it is `readyMs` by the clock of the client. */
function holdResults({ stub, clock }: Pick<OpenService, "stub" | "clock">, readyMs: number, state: object) {
  const usual = stub.usual("retrieve_future");
  stub.on("retrieve_future", (request) =>
    clock.now() >= readyMs
      ? usual(request)
      : { status: 408, body: { type: "try_again", retry_after_ms: 15_000, ...state } },
  );
}

const minuteLines = (logger: RecordingLogger) => logger.lines.filter((line) => line.includes("no result"));

it("says of one step that takes 330 s, once a minute, which it is, for how long, and how it stands in the queue", async () => {
  const open = await openTraining();
  holdResults(open, 330_000, { queue_state: "paused_capacity", queue_state_reason: "busy" });
  await throughSleeps(open.clock, step(open.training));
  expect(minuteLines(open.logger)).toEqual(
    [60, 120, 180, 240, 300].map(
      (second) =>
        `info: optimStep (request r2, still known to the service) has no result after ${second} s, queue state paused_capacity (busy)`,
    ),
  );
});

it("says nothing of an operation that is done within the minute", async () => {
  const open = await openTraining();
  holdResults(open, 59_000, { queue_state: "active" });
  await throughSleeps(open.clock, open.training.forwardBackward([datum(1)], "cross_entropy"));
  expect(minuteLines(open.logger)).toEqual([]);
});

it("writes one line a minute for thirty slow steps and as many slow samples of one service client", async () => {
  const open = await openTraining({ sample_use_retrieve_futures: false });
  const sampler = await open.training.saveWeightsAndGetSamplingClient();
  holdResults(open, 200_000, {});
  const steps = Array.from({ length: 30 }, () => step(open.training));
  const samples = Array.from({ length: 30 }, (_, index) =>
    sampler.sample({ prompt: [index], sampling_params: { max_tokens: 1 } }),
  );
  await throughSleeps(open.clock, Promise.all([...steps, ...samples]));
  const lines = minuteLines(open.logger);
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^info: (optimStep|sample) .* s, queue state unknown$/);
});

it("says so of samples that are waited for together", async () => {
  const open = await openService();
  open.stub.on("client/config", () => ({ body: { sample_use_retrieve_futures: true } }));
  const sampler = await open.service.createSamplingClient({ base_model: "b" });
  const completions: unknown[] = [];
  open.stub.on("retrieve_futures", ({ json }) => {
    const isReady = open.clock.now() >= 130_000 && completions.length === 0;
    if (isReady) completions.push({ request_id: "r1", state: "complete" });
    else if (JSON.stringify(json?.retrieved_request_ids) === "[]") void open.clock.advance(15_000);
    return { body: { completions: isReady ? completions : [], cursor: completions.length } };
  });
  await throughSleeps(open.clock, sampler.sample({ prompt: [1], sampling_params: { max_tokens: 1 } }));
  expect(minuteLines(open.logger).map((line) => line.replace(/after \d+ s/, "after … s"))).toEqual(
    Array(2).fill(
      "info: sample (request r1, still known to the service) has no result after … s, queue state unknown",
    ),
  );
});

it("counts the minutes of an operation whose polls are held for 45 s, and lets others speak a minute after it", async () => {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const log = new SlowOperationLog({ clock, logger });
  const made = (name: string): OperationUnderWay => ({ startedAtMs: 0, describe: () => name });
  const [first, second] = [made("first"), made("second")];
  const lines: [number, number][] = [];
  for (let poll = 1; poll <= 10; poll += 1) {
    await clock.advance(45_000);
    for (const [index, operation] of [first, second].entries()) {
      // The first is done after 225 s.
      if (index === 0 && poll > 5) continue;
      const before = logger.lines.length;
      log.note(operation);
      if (logger.lines.length > before) lines.push([poll * 45, index]);
    }
  }
  expect(lines).toEqual([
    [90, 0],
    [135, 0],
    [180, 0],
    [270, 1],
    [315, 1],
    [360, 1],
    [450, 1],
  ]);
});
