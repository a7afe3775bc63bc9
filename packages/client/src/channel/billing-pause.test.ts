import { ApiStatusError, type HttpTransport, type TransportCall, type TransportResponse } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { ApiCalls } from "../session/api-calls.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { type BillingPauseOptions, withBillingPause } from "./billing-pause.js";

const OK = { status: 200, headers: {}, body: new Uint8Array(), attempts: 1 };
const refused = (status: number) =>
  new ApiStatusError(`answered ${status}`, { code: "billing_required", status, body: {}, attempts: 1 });

/** A transport that refuses `refusals` times, behind the pause, on a clock whose sleeps pass at once. */
function paused(
  refusals: number,
  options: Partial<BillingPauseOptions> = {},
  status = 402,
  other?: HttpTransport,
) {
  const calls: TransportCall[] = [];
  const logger = new RecordingLogger();
  const sleeps: number[] = [];
  let nowMs = 0;
  let left = refusals;
  const inner: HttpTransport = {
    async call(given) {
      calls.push(given);
      if (left === 0) return OK;
      left -= 1;
      throw refused(status);
    },
    close: async () => {},
  };
  const transport = withBillingPause(other ?? inner, {
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        sleeps.push(ms);
        nowMs += ms;
      },
    },
    logger,
    policy: "pause",
    maxPauseMs: () => 3_600_000,
    closing: new AbortController().signal,
    ...options,
  });
  return {
    transport,
    logger,
    sleeps,
    calls,
    refuse: (count: number) => (left = count),
    wait: (ms: number) => (nowMs += ms),
  };
}

const call = { operation: "optim_step" };

describe("withBillingPause", () => {
  it("clients 69, transport 23, 47: asks again every five seconds, with a line a minute", async () => {
    const { transport, logger, sleeps } = paused(14);
    expect(await transport.call(call)).toBe(OK);
    expect(sleeps).toEqual(Array.from({ length: 14 }, () => 5000));
    expect(logger.lines).toEqual([
      "warn: the job is paused for billing: answered 402",
      "warn: the job is paused for billing: answered 402",
    ]);
  });

  it("newest-clients 49, transport 24: gives up when the incident has lasted too long", async () => {
    const { transport, logger, sleeps } = paused(100, { maxPauseMs: () => 20_000 });
    await expect(transport.call(call)).rejects.toMatchObject({ status: 402 });
    expect(sleeps).toHaveLength(5);
    expect(logger.lines.at(-1)).toBe(
      "error: the service has refused calls for billing for 25 s, and the job is given up",
    );
  });

  it("transport 26: takes a refusal after five quiet minutes for a new incident", async () => {
    const { transport, refuse, wait } = paused(4, { maxPauseMs: () => 20_000 });
    await transport.call(call);
    wait(300_001);
    refuse(4);
    expect(await transport.call(call)).toBe(OK);
  });

  it("fails at once where the caller wants that, and leaves other errors alone", async () => {
    await expect(paused(1, { policy: "fail" }).transport.call(call)).rejects.toMatchObject({ status: 402 });
    const other = paused(1, {}, 403);
    await expect(other.transport.call(call)).rejects.toMatchObject({ status: 403 });
    expect(other.sleeps).toEqual([]);
  });

  it("waits for a transport that throws at once, and takes an answer that is no promise of the platform", async () => {
    let count = 0;
    const failures: unknown[] = [];
    const call = (): TransportResponse => {
      count += 1;
      if (count < 3) throw refused(402);
      return OK;
    };
    // Not of the type: plain JavaScript may give one.
    const plain = { call, close: async () => {} } as unknown as HttpTransport;
    const { transport, sleeps } = paused(0, { onFailure: (_, error) => failures.push(error) }, 402, plain);
    expect(await transport.call({ operation: "optim_step" })).toBe(OK);
    expect(sleeps).toEqual([5000, 5000]);
    expect(failures).toHaveLength(2);
    expect(await transport.call({ operation: "optim_step" })).toBe(OK);
    // biome-ignore lint/suspicious/noThenProperty: a promise of another library
    const thenable = { then: (resolve: (value: TransportResponse) => void) => resolve(OK) };
    const foreign = { call: () => thenable, close: async () => {} } as unknown as HttpTransport;
    expect(await paused(0, {}, 402, foreign).transport.call({ operation: "optim_step" })).toBe(OK);
  });

  it("delivers a request under one key before and after the pause, and another under another", async () => {
    const { transport, calls } = paused(2);
    const api = new ApiCalls({ transport, sdkVersion: "0.38.0", generation: "0.38" });
    const body = new Uint8Array(1);
    await api.post("optim_step", body, {});
    await api.post("optim_step", body, {});
    const keys = calls.map(({ headers }) => headers?.["x-idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect([keys[1], keys[2]]).toEqual([keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
  });

  it.each([
    ["a refusal alone", [], false],
    ["a refusal after a lost answer", [{ what: "ECONNRESET", pauseMs: 0, mayHaveArrived: true }], true],
  ])(
    "ends the pause with the delivery, and says of %s whether it may have arrived",
    async (_, tries, mayHaveArrived) => {
      const controller = new AbortController();
      const inner: HttpTransport = {
        async call() {
          controller.abort("enough");
          throw new ApiStatusError("unpaid", {
            code: "billing_required",
            status: 402,
            body: {},
            attempts: 1,
            earlierTries: tries,
          });
        },
        close: async () => {},
      };
      const { transport } = paused(0, {}, 402, inner);
      const failure = transport.call({ ...call, stopSignal: controller.signal });
      await expect(failure).rejects.toMatchObject({ status: 402, mayHaveArrived });
    },
  );

  it("BR-003: ends the pause with the client", async () => {
    const reason = new Error("closed");
    const { transport } = paused(1, { closing: AbortSignal.abort(reason) });
    await expect(transport.call(call)).rejects.toBe(reason);
  });

  it("BR-003: ends the pause with the call", async () => {
    const { transport } = paused(1);
    const reason = new Error("stop");
    await expect(transport.call({ ...call, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
