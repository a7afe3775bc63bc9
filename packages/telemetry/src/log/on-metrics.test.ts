import { channel } from "node:diagnostics_channel";
import { RecordingLogger } from "@tinkex/base/testing";
import { RunReader } from "@tinkex/runs";
import { EVENT_CHANNELS, type OperationInfo, type OperationMessage } from "@tinkex/types";
import { failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { metricsLog } from "./metrics-log.js";
import type { Metrics } from "./metrics-logger.js";
import { type OnMetricsOptions, onMetrics } from "./on-metrics.js";

const operations = channel(EVENT_CHANNELS.operation);
const service = { clientId: "c", baseUrl: undefined, sessionId: "s" };
/** Type of a message, and what it holds besides the operation. */
type Told = OperationMessage extends infer Message
  ? Message extends OperationMessage
    ? Omit<Message, "service" | "atMs" | "operation">
    : never
  : never;

/** Publishes a message as a client does. */
function tell(operationId: number, method: string, told: Told, modelId = "m"): void {
  const operation: OperationInfo = { operationId, client: "TrainingClient", method, modelId };
  operations.publish({ service, atMs: 0, operation, ...told });
}

const started: Told = { type: "operation.started" };
const done: Told = { type: "operation.result", durationMs: 1 };
const failure = { name: "E", code: undefined, status: 500, category: undefined, isRetryable: false };
const metrics = (values: Record<string, number>): Told => ({ type: "operation.metrics", metrics: values });

/** Publishes a pass from its call to its result. */
function pass(operationId: number, values: Record<string, number>): void {
  tell(operationId, "forwardBackward", started);
  tell(operationId, "forwardBackward", metrics(values));
  tell(operationId, "forwardBackward", done);
}

function logged(options?: OnMetricsOptions): [number, Metrics][] {
  const rows: [number, Metrics][] = [];
  onTestFinished(onMetrics((row, step) => rows.push([step, row]), options));
  return rows;
}

describe("onMetrics", () => {
  it("gives the metrics of passes and optimizer in one row, by the order of the calls", () => {
    const rows = logged();
    tell(1, "forwardBackward", started);
    tell(2, "optimStep", started);
    tell(3, "forwardBackward", started);
    tell(4, "optimStep", started);
    // The results of pipelined steps come as they like.
    tell(3, "forwardBackward", metrics({ "loss:sum": 3 }));
    tell(1, "forwardBackward", metrics({ "loss:sum": 1 }));
    tell(4, "optimStep", metrics({ grad_norm: 40 }));
    tell(2, "optimStep", metrics({ grad_norm: 20 }));
    tell(1, "forwardBackward", done);
    tell(3, "forwardBackward", done);
    tell(2, "optimStep", done);
    tell(4, "optimStep", done);
    expect(rows).toEqual([
      [0, { "loss:sum": 1, grad_norm: 20 }],
      [1, { "loss:sum": 3, grad_norm: 40 }],
    ]);
  });

  it("waits with a row for passes whose results come behind the optimizer's, and gives rows in the order of the steps", () => {
    const rows = logged();
    for (const id of [1, 3, 5]) {
      tell(id, "forwardBackward", started);
      tell(id + 1, "optimStep", started);
      tell(id + 1, "optimStep", metrics({ grad_norm: id }));
      tell(id + 1, "optimStep", done);
    }
    tell(5, "forwardBackward", metrics({ loss: 50 }));
    tell(5, "forwardBackward", done);
    tell(1, "forwardBackward", metrics({ loss: 10 }));
    expect(rows).toEqual([]);
    tell(1, "forwardBackward", done);
    expect(rows).toEqual([[0, { loss: 10, grad_norm: 1 }]]);
    tell(3, "forwardBackward", metrics({ loss: 30 }));
    tell(3, "forwardBackward", done);
    expect(rows.slice(1)).toEqual([
      [1, { loss: 30, grad_norm: 3 }],
      [2, { loss: 50, grad_norm: 5 }],
    ]);
  });

  it("gives the row of a step without a pass of it that fails late", () => {
    const rows = logged();
    tell(1, "forwardBackward", started);
    pass(2, { loss: 2 });
    tell(3, "optimStep", started);
    tell(3, "optimStep", done);
    tell(1, "forwardBackward", { type: "operation.failed", durationMs: 1, failure });
    expect(rows).toEqual([[0, { loss: 2 }]]);
  });

  it("gives the metrics of passes behind an optimizer that failed with the one that takes their gradient", () => {
    const rows = logged();
    tell(1, "forwardBackward", started);
    tell(2, "optimStep", started);
    tell(2, "optimStep", { type: "operation.failed", durationMs: 1, failure });
    tell(3, "optimStep", started);
    tell(3, "optimStep", done);
    tell(1, "forwardBackward", metrics({ loss: 1 }));
    tell(1, "forwardBackward", done);
    expect(rows).toEqual([[1, { loss: 1 }]]);
  });

  it("puts no pass that was called before it began into a step", () => {
    const rows = logged();
    tell(1, "forwardBackward", metrics({ loss: 1 }));
    tell(1, "forwardBackward", done);
    tell(2, "optimStep", done);
    pass(3, { loss: 3 });
    tell(4, "optimStep", started);
    tell(4, "optimStep", done);
    expect(rows).toEqual([[0, { loss: 3 }]]);
  });

  it("gives rows that wait for a pass when it is stopped", () => {
    const rows: [number, Metrics][] = [];
    const stop = onMetrics((row, step) => rows.push([step, row]));
    tell(1, "forwardBackward", started);
    tell(2, "optimStep", started);
    tell(2, "optimStep", metrics({ grad_norm: 2 }));
    tell(2, "optimStep", done);
    tell(3, "optimStep", started);
    expect(rows).toEqual([]);
    stop();
    stop();
    expect(rows).toEqual([[0, { grad_norm: 2 }]]);
  });

  it("holds a bounded number of rows for a pass that never ends, and gives the oldest without it", () => {
    const rows = logged();
    tell(1, "forwardBackward", started);
    for (let id = 2; id < 1_204; id += 1) {
      tell(id, "optimStep", started);
      tell(id, "optimStep", done);
    }
    expect(rows.map(([step]) => step)).toEqual(Array.from({ length: 1_202 }, (_, step) => step));
    // Its metrics would stand in the row of another step.
    tell(1, "forwardBackward", metrics({ loss: 1 }));
    tell(1, "forwardBackward", done);
    expect(rows.every(([, row]) => row.loss === undefined)).toBe(true);
  });

  it("holds a bounded number of rows behind an optimizer that never answers, and gives its row once it does", () => {
    const rows = logged();
    tell(1, "optimStep", started);
    for (let id = 2; id < 1_004; id += 1) {
      tell(id, "optimStep", started);
      tell(id, "optimStep", done);
    }
    expect(rows.map(([step]) => step)).toEqual([1, 2]);
    tell(1, "optimStep", done);
    expect(rows.map(([step]) => step).slice(2)).toEqual([
      0,
      ...Array.from({ length: 1_000 }, (_, n) => n + 3),
    ]);
  });

  it("forgets the models that were not heard of for the longest, beyond 10,000", () => {
    const rows = logged();
    const step = (modelId: string): void => {
      tell(1, "optimStep", started, modelId);
      tell(1, "optimStep", done, modelId);
    };
    step("first");
    step("second");
    step("first");
    for (let n = 0; n < 9_999; n += 1) tell(1, "forward", started, `other ${n}`);
    step("first");
    step("second");
    expect(rows.map(([number]) => number)).toEqual([0, 0, 1, 2, 0]);
  });

  it("counts the steps of each model for itself, and gives those of one where one is asked for", () => {
    const all = logged();
    const ofOne = logged({ modelId: "two" });
    for (const modelId of ["one", "two"]) {
      tell(1, "trainStep", started, modelId);
      tell(1, "trainStep", metrics({ loss: 1 }), modelId);
      tell(1, "trainStep", done, modelId);
    }
    expect(all).toEqual([
      [0, { loss: 1 }],
      [0, { loss: 1 }],
    ]);
    expect(ofOne).toHaveLength(1);
  });

  it("goes on counting at the first step that it is told, so that a program started again repeats no number", async () => {
    const directory = temporaryDirectory();
    // A program of two steps, started twice.
    for (const firstStep of [0, 2]) {
      const log = metricsLog({ directory });
      const stop = onMetrics(log, { modelId: `m${firstStep}`, firstStep });
      for (const id of [1, 2]) {
        tell(id, "trainStep", started, `m${firstStep}`);
        tell(id, "trainStep", metrics({ loss: id }), `m${firstStep}`);
        tell(id, "trainStep", done, `m${firstStep}`);
      }
      stop();
      await log.close();
    }
    const { rows } = await new RunReader(directory).newMetrics();
    expect(rows.map(({ step }) => step)).toEqual([0, 1, 2, 3]);
  });

  it("begins each model at the first step, and counts one that failed", () => {
    const rows = logged({ firstStep: 7 });
    for (const modelId of ["one", "two"]) {
      tell(1, "optimStep", started, modelId);
      tell(1, "optimStep", { type: "operation.failed", durationMs: 1, failure }, modelId);
      tell(2, "optimStep", started, modelId);
      tell(2, "optimStep", done, modelId);
    }
    expect(rows).toEqual([
      [8, {}],
      [8, {}],
    ]);
  });

  it("gives no row of a step that failed, and none of passes that only look", () => {
    const rows = logged();
    tell(1, "forward", metrics({ "loss:sum": 9 }));
    tell(2, "optimStep", started);
    tell(2, "optimStep", { type: "operation.failed", durationMs: 1, failure });
    tell(3, "optimStep", started);
    tell(3, "optimStep", done);
    expect(rows).toEqual([[1, {}]]);
  });

  it("keeps a bounded number of passes that no step follows, the newest ones", () => {
    const rows = logged();
    for (let id = 1; id <= 5_000; id += 1) pass(id, { [`pass ${id}`]: id });
    tell(5_001, "optimStep", started);
    tell(5_001, "optimStep", done);
    const names = Object.keys(rows[0]?.[1] ?? {});
    expect(names).toHaveLength(4_096);
    expect(names.at(-1)).toBe("pass 5000");
  });

  it("goes on when the logger that hears of failures fails too, and reaches nobody with it", async () => {
    failOnUnhandledErrors();
    const fail = (): never => {
      throw new Error("disk full");
    };
    const seen: number[] = [];
    const takers = [fail, async () => fail(), (_: Metrics, step: number) => seen.push(step)];
    for (const warn of [fail, async () => fail()]) {
      const stop = onMetrics(takers, { logger: { warn } });
      for (const id of [1, 2]) {
        tell(id, "trainStep", started);
        tell(id, "trainStep", done);
      }
      stop();
    }
    expect(seen).toEqual([0, 1, 0, 1]);
    await new Promise(setImmediate);
  });

  it("goes on when a logger fails or rejects, tells of it once, and stops when it is told to", async () => {
    const logger = new RecordingLogger();
    const seen: number[] = [];
    const stop = onMetrics(
      [
        () => {
          throw new Error("disk full");
        },
        { log: (_, step) => Promise.reject(new Error(`row ${step}`)) },
        { log: (_, step) => seen.push(step) },
      ],
      { logger },
    );
    for (const id of [1, 2]) {
      tell(id, "trainStep", started);
      tell(id, "trainStep", done);
    }
    stop();
    tell(3, "trainStep", started);
    tell(3, "trainStep", done);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual([0, 1]);
    expect(logger.lines).toEqual([
      expect.stringContaining("onMetrics: a logger failed, and rows may be missing: disk full"),
      expect.stringContaining("row 0"),
    ]);
    expect(operations.hasSubscribers).toBe(false);
  });

  it.each([
    [[{}], {}, "onMetrics: takers[0] must be a function, or an object with a method log(metrics, step)"],
    [() => {}, { firstStep: -1 }, "onMetrics: firstStep must be a whole number from 0, got -1"],
    [() => {}, { firstStep: 1.5 }, "onMetrics: firstStep must be a whole number from 0, got 1.5"],
    [() => {}, { firstStep: "2" }, 'onMetrics: firstStep must be a whole number from 0, got "2"'],
    [() => {}, { model: 1 }, 'the options of onMetrics: unknown field "model"'],
  ])("refuses %j %j", (takers, options, message) => {
    expect(() => onMetrics(takers as never, options as never)).toThrow(message);
  });
});
