import {
  ApiStatusError,
  ByteBudget,
  ConnectionError,
  type HttpTransport,
  RequestFailedError,
  ResponseError,
  TimeoutError,
  type TransportCall,
  type TransportResponse,
} from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import type { QueueStateEvent } from "../future/operation-context.js";
import { ApiCalls } from "../session/api-calls.js";
import { ResultPoller } from "./result-poller.js";

/** One answer of the script: a JSON success, an error status with its body, or an error of the connection. */
type Answer =
  | { readonly ok: unknown; readonly heldMs?: number }
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly heldMs?: number;
      readonly retryAfterMs?: number;
    }
  | { readonly error: Error };

const done: Answer = { ok: { metrics: { lr: 1 } } };
const busy = { type: "try_again", queue_state: "paused_capacity", queue_state_reason: "because" };

function statusError(status: number, body: unknown, retryAfterMs?: number): ApiStatusError {
  return new ApiStatusError(`answered ${status}`, {
    code: "bad_request",
    status,
    body,
    attempts: 1,
    retryAfterMs,
  });
}

/** Polls against a script, on a clock whose sleeps pass at once. */
function poll(
  answers: readonly Answer[],
  options: {
    readonly budget?: ByteBudget;
    readonly maxFailingMs?: number;
    readonly isAwaited?: boolean;
  } = {},
) {
  const clock = new FakeClock();
  const sleeps: number[] = [];
  const backgrounds: unknown[] = [];
  const calls: TransportCall[] = [];
  const states: QueueStateEvent[] = [];
  const noted: string[] = [];
  const troubles: string[] = [];
  const controller = new AbortController();
  const left = [...answers];
  let nowMs = 0;
  const transport: HttpTransport = {
    async call(call): Promise<TransportResponse> {
      calls.push(call);
      const answer = left.shift();
      if (answer === undefined) throw new Error("the script is over");
      if ("error" in answer) throw answer.error;
      nowMs += answer.heldMs ?? 0;
      if ("status" in answer) {
        const { status, body = {}, retryAfterMs } = answer;
        throw statusError(status, body, retryAfterMs);
      }
      const body = new TextEncoder().encode(
        typeof answer.ok === "string" ? answer.ok : JSON.stringify(answer.ok),
      );
      return { status: 200, headers: { "content-type": "application/json" }, body, attempts: 1 };
    },
    close: async () => {},
  };
  const poller = new ResultPoller(
    {
      calls: new ApiCalls({ transport, sdkVersion: "0.38.0", generation: "0.38" }),
      clock: {
        now: () => clock.now(),
        monotonic: () => nowMs,
        sleep: async (ms, signal, sleepOptions) => {
          signal?.throwIfAborted();
          sleeps.push(ms);
          backgrounds.push(sleepOptions?.background);
          nowMs += ms;
        },
      },
      random: () => 1,
      maxFailingMs: options.maxFailingMs ?? 900_000,
      responseBudget: options.budget ?? new ByteBudget(1000),
      announcesLargeResults: true,
      onTrouble: (message) => troubles.push(message),
    },
    {
      requestId: "r1",
      resultName: "OptimStepResponse",
      requestType: "OptimStep",
      roundtripS: 0.25,
      context: {
        name: "optimStep",
        onBehalfOf: { method: "TrainingClient.optim_step" },
        isAwaited: () => options.isAwaited ?? true,
        queueState: (event) => states.push(event),
        stillWaiting: () => {},
        signal: controller.signal,
      },
      log: { note: (event) => noted.push(event.state) },
    },
  );
  const result = poller.result();
  result.catch(() => {});
  return { result, calls, sleeps, backgrounds, states, noted, troubles, controller };
}

const bodiesOf = (calls: readonly TransportCall[]) =>
  calls.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));

describe("ResultPoller", () => {
  it("tells listeners of a state and a reason once, and the log at every poll", async () => {
    const paused = { type: "try_again", request_id: "r1", queue_state: "paused_capacity" };
    const full = { ...paused, queue_state_reason: "full" };
    const { result, states, noted } = poll([
      { ok: paused },
      { ok: paused },
      { ok: full },
      { ok: full },
      { ok: paused },
      { ok: { metrics: {} } },
    ]);
    await result;
    expect(states.map(({ state, reason }) => [state, reason])).toEqual([
      ["paused_capacity", undefined],
      ["paused_capacity", "full"],
      ["paused_capacity", undefined],
      ["active", undefined],
    ]);
    expect(noted).toEqual([...Array(5).fill("paused_capacity"), "active"]);
  });

  it("clients 56: numbers its polls, names the operation, and tells the round trip once", async () => {
    const { result, calls } = poll([{ ok: { type: "try_again" } }, done]);
    expect(await result).toEqual({ metrics: { lr: 1 } });
    expect(calls.map(({ headers }) => headers)).toEqual([
      {
        "x-idempotency-key": expect.any(String),
        "x-sdk-method": "TrainingClient.optim_step",
        "x-sdk-version": "0.38.0",
        "x-tinker-request-iteration": "0",
        "x-tinker-request-type": "OptimStep",
        "x-tinker-create-promise-roundtrip-time": "0.25",
      },
      {
        "x-idempotency-key": expect.any(String),
        "x-sdk-method": "TrainingClient.optim_step",
        "x-sdk-version": "0.38.0",
        "x-tinker-request-iteration": "1",
        "x-tinker-request-type": "OptimStep",
      },
    ]);
    expect(bodiesOf(calls)[0]).toEqual({ request_id: "r1", allow_metadata_only: true });
    expect(calls[0]?.accept).toBe("application/json");
  });

  it("paces polls that end at once by jitter that doubles from 0.25 s to 5 s", async () => {
    const pending: Answer[] = Array.from({ length: 7 }, () => ({ ok: { type: "try_again" } }));
    const { result, sleeps } = poll([...pending, done]);
    await result;
    expect(sleeps).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
  });

  it("starts the pauses again after a poll that was held for more than a second", async () => {
    const { result, sleeps } = poll([
      { status: 503 },
      { status: 408, body: busy },
      { ok: { type: "try_again" }, heldMs: 1001 },
      { ok: { type: "try_again" }, heldMs: 1000 },
      done,
    ]);
    await result;
    expect(sleeps).toEqual([250, 500, 250, 500]);
  });

  it("transport 39, clients 57, 58: tells where the operation stands, in the service's words", async () => {
    const { result, states } = poll([
      { status: 408, body: busy },
      { ok: { type: "try_again", queue_state: "active" } },
      { ok: { type: "try_again" } },
      { ok: { type: "try_again", queue_state: "weird", queue_state_reason: "odd" } },
      done,
    ]);
    await result;
    expect(states.map(({ state, reason }) => [state, reason])).toEqual([
      ["paused_capacity", "because"],
      ["active", undefined],
      ["weird", "odd"],
      ["active", undefined],
    ]);
    expect(states[0]).toMatchObject({ requestId: "r1", requestType: "OptimStep" });
  });

  it("newest-clients 14: says `active` after failed work too", async () => {
    const { result, states } = poll([{ ok: { error: "boom", category: "user" } }]);
    await expect(result).rejects.toBeInstanceOf(RequestFailedError);
    expect(states.map(({ state }) => state)).toEqual(["active"]);
  });

  it.each([
    ["weird", "unknown", "weird"],
    ["Server", "server", undefined],
    [7, "unknown", undefined],
  ])("reads the category %j as %j and keeps the service's own word", async (category, read, raw) => {
    const { result } = poll([{ ok: { error: "boom", category } }]);
    const error = await result.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(RequestFailedError);
    expect(error).toMatchObject({ category: read, rawCategory: raw });
  });

  it("transport 40, BR-009: goes on for as long as it takes", async () => {
    const paused: Answer[] = Array.from({ length: 25 }, () => ({ status: 408, body: busy }));
    const { result, calls } = poll([...paused, { status: 503 }, { status: 599 }, done]);
    await result;
    expect(calls).toHaveLength(28);
  });

  it("clients 61, transport 41, 42, 43: backs off from 429 and broken connections, until anything else is answered", async () => {
    const rejected: Answer = { status: 429 };
    const seven = poll([...Array.from({ length: 7 }, () => rejected), done]);
    await seven.result;
    expect(seven.sleeps).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    const mixed = poll([
      rejected,
      { error: new ConnectionError("reset", { attempts: 1 }) },
      { status: 503 },
      rejected,
      done,
    ]);
    await mixed.result;
    expect(mixed.sleeps).toEqual([1000, 2000, 250, 1000]);
    expect(mixed.troubles).toEqual([
      "waiting for optimStep (request r1), asking again in 1.0 s: the service asked for quiet (429)",
      "waiting for optimStep (request r1), asking again in 2.0 s: reset",
      "waiting for optimStep (request r1), whose polls have failed for 0 s: answered 503",
      "waiting for optimStep (request r1), asking again in 1.0 s: the service asked for quiet (429)",
    ]);
  });

  it("leaves the service alone for as long as it asks, whatever the status", async () => {
    const asked = (status: number, retryAfterMs: number): Answer => ({ status, retryAfterMs });
    const { result, sleeps } = poll([
      asked(429, 20_000),
      asked(503, 3_000),
      asked(408, 4_000),
      { status: 429 },
      done,
    ]);
    await result;
    expect(sleeps).toEqual([20_000, 3_000, 4_000, 1_000]);
  });

  it("obeys the pause in the body of a try-again, a minute at most", async () => {
    const again = { type: "try_again", queue_state: "active" };
    const { result, sleeps } = poll([
      { ok: { ...again, retry_after_ms: 1_500 } },
      { status: 408, body: { ...again, retry_after_ms: 2_500 } },
      { ok: { ...again, retry_after_ms: 3_600_000 } },
      { ok: { ...again, retry_after_ms: -1 } },
      { ok: { ...again, retry_after_ms: "soon" } },
      done,
    ]);
    await result;
    expect(sleeps).toEqual([1_500, 2_500, 60_000, 250, 500]);
  });

  it("takes a poll that was held beyond its limit for one that must be repeated soon", async () => {
    const { result, sleeps } = poll([{ error: new TimeoutError("held", { timeoutMs: 45_000 }) }, done]);
    await result;
    expect(sleeps).toEqual([250]);
  });

  it("clients 60, transport 44: asks again after an odd refusal, three times", async () => {
    const refused: Answer = { status: 400, body: { detail: "odd" } };
    const four = poll([refused, refused, refused, refused]);
    await expect(four.result).rejects.toMatchObject({ status: 400 });
    expect(four.calls).toHaveLength(4);
    const recovered = poll([
      refused,
      refused,
      refused,
      { status: 408, body: busy },
      refused,
      refused,
      refused,
      done,
    ]);
    await recovered.result;
    expect(recovered.calls).toHaveLength(8);
    const waiting: Answer = { ok: { type: "try_again", queue_state: "active" } };
    const oftenWaiting = poll([refused, waiting, refused, waiting, refused, waiting, refused, waiting, done]);
    await oftenWaiting.result;
    expect(oftenWaiting.calls).toHaveLength(9);
    const notRecovered = poll([refused, refused, { status: 408, body: "" }, refused, refused]);
    await expect(notRecovered.result).rejects.toMatchObject({ status: 400 });
    const fifth = poll([refused, refused, { status: 503 }, refused, refused]);
    await expect(fifth.result).rejects.toMatchObject({ status: 400 });
    expect(fifth.calls).toHaveLength(5);
  });

  it.each([401, 403, 404, 409, 422])(
    "transport 48: ends at once on %i, with the operation in the message",
    async (status) => {
      const { result, calls } = poll([{ status }]);
      const error = await result.catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ApiStatusError);
      const isLost = (error as Error).message.includes("the service no longer knows it (expired or lost)");
      expect(isLost).toBe(status === 404);
      expect(error).toMatchObject({ status, message: expect.stringMatching(/optimStep \(request r1\)/) });
      expect(calls).toHaveLength(1);
    },
  );

  describe.each<[string, Answer, RegExp]>([
    [
      "errors",
      { status: 503 },
      /optimStep \(request r1\): answered 503; given up after 90\d s without a good answer/,
    ],
    [
      "later",
      { status: 425 },
      /optimStep \(request r1\): answered 425; given up after 90\d s without a good answer/,
    ],
    ["pages", { ok: "<html>" }, /optimStep \(request r1\): .*not JSON.*; given up after 90\d s/],
    ["nothing", { ok: "" }, /optimStep \(request r1\): .*not JSON.*; given up after 90\d s/],
  ])("of a service that answers with %s", (_, bad, message) => {
    it("transport 52: says so, and gives up after 15 minutes", async () => {
      const { result, sleeps, troubles } = poll(Array.from({ length: 500 }, () => bad));
      await expect(result).rejects.toThrow(message);
      const waitedMs = sleeps.reduce((sum, ms) => sum + ms, 0);
      expect(waitedMs).toBeGreaterThanOrEqual(900_000);
      expect(waitedMs).toBeLessThan(906_000);
      expect(troubles[0]).toMatch(/^waiting for optimStep \(request r1\), whose polls have failed for 0 s: /);
    });

    it("begins to count anew after a good answer", async () => {
      const many = Array.from({ length: 170 }, () => bad);
      const { result } = poll([
        ...many,
        { ok: { type: "try_again" } },
        ...many,
        { status: 408, body: busy },
        ...many,
        done,
      ]);
      expect(await result).toEqual({ metrics: { lr: 1 } });
    });
  });

  it.each([true, false])("keeps the process alive in its pauses if somebody waits: %s", async (isAwaited) => {
    const { result, backgrounds } = poll(
      [{ ok: { type: "try_again" } }, { status: 429 }, { status: 503 }, done],
      {
        isAwaited,
      },
    );
    await result;
    expect(backgrounds).toEqual([!isAwaited, !isAwaited, !isAwaited]);
  });

  it("gives up as early as it is told to", async () => {
    const { result, calls } = poll(
      Array.from({ length: 500 }, () => ({ status: 500 })),
      { maxFailingMs: 0 },
    );
    await expect(result).rejects.toMatchObject({ status: 500 });
    expect(calls).toHaveLength(1);
  });

  it("clients 59, transport 49: fetches a large result once there is room for it, and makes room again", async () => {
    const budget = new ByteBudget(0);
    const announced: Answer = { ok: { status: "complete_metadata", response_payload_size: 1000 } };
    const first = poll([announced, { ok: { type: "try_again" } }, done], { budget });
    await first.result;
    expect(bodiesOf(first.calls).map(({ allow_metadata_only }) => allow_metadata_only)).toEqual([
      true,
      false,
      false,
    ]);
    const failing = poll([announced, { ok: { error: "boom" } }], { budget });
    await expect(failing.result).rejects.toBeInstanceOf(RequestFailedError);
    // Both have given back what they took.
    const release = await budget.acquire(1, new AbortController().signal);
    release();
  });

  it("transport 50: two large results wait for each other", async () => {
    const budget = new ByteBudget(50);
    const never = new AbortController().signal;
    const release = await budget.acquire(1000, never);
    const second = poll([{ ok: { status: "complete_metadata", response_payload_size: 10 } }, done], {
      budget,
    });
    let over = false;
    second.result.finally(() => {
      over = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toBe(false);
    release();
    await second.result;
  });

  it("refuses a result that is announced again instead of sent", async () => {
    const announced: Answer = { ok: { status: "complete_metadata", response_payload_size: 1 } };
    await expect(poll([announced, announced]).result).rejects.toBeInstanceOf(ResponseError);
  });

  it("transport 55, BR-003: an abort ends a pause at once, with the reason given", async () => {
    const reason = new Error("stop");
    const { result, controller } = poll([{ status: 429 }, done]);
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
  });

  it.each(["1e999", "-1e999", "NaN", '"x"', "9007199254740993", "null"])(
    "an announced size of %s leaves the budget for those who come after",
    async (size) => {
      const budget = new ByteBudget(1000);
      const announced: Answer = { ok: `{"status":"complete_metadata","response_payload_size":${size}}` };
      expect(await poll([announced, done], { budget }).result).toEqual({ metrics: { lr: 1 } });
      const behind = poll([announced, done], { budget });
      expect(await behind.result).toEqual({ metrics: { lr: 1 } });
      const release = await budget.acquire(1000, new AbortController().signal);
      release();
    },
  );

  it("asks again for an answer that nests deep, and ends with an error that names the record", async () => {
    const deep: Answer = { ok: `{"metrics":${"[".repeat(200_000)}${"]".repeat(200_000)}}` };
    expect(await poll([deep, deep, done]).result).toEqual({ metrics: { lr: 1 } });
    await expect(poll([deep, deep, deep, deep]).result).rejects.toThrow(
      /^OptimStepResponse: not JSON: more than 64/,
    );
  });

  it("shows the service's words without what a terminal would obey", async () => {
    const words = "\u001b]0;owned\u0007 \u202e\u009b2J";
    const shown = "\\u001b]0;owned\\u0007 \\u202e\\u009b2J";
    const { result, states } = poll([
      { ok: { type: "try_again", queue_state: words, queue_state_reason: words } },
      { status: 408, body: { queue_state: words, queue_state_reason: words } },
      { ok: { error: words } },
    ]);
    await expect(result).rejects.toMatchObject({
      message: `optimStep failed on the service: ${shown} (request r1)`,
    });
    expect(states.map(({ state, reason }) => [state, reason])).toEqual([
      [shown, shown],
      ["active", undefined],
    ]);
  });
});
