import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { AbortedError, TimeoutError, ValidationError } from "@tinkex/base";
import { after, answer, cutShort, stall, trickle } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { eventually, failureOf, json, play, seconds, transportTo } from "../testing/test-transport.js";

describe("limits", () => {
  it("transport 7: a silent server times out", async () => {
    const server = await play(stall);
    const transport = transportTo(server);
    const error = await failureOf(
      transport.call({ operation: "retrieve_future", body: json({}), timeoutMs: 60 }),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: "timed_out", timeoutMs: 60 });
  });

  it("BR-026: a body that stalls times out as well, and its connection is let go", async () => {
    const server = await play(cutShort(100, "x", stall));
    const transport = transportTo(server);
    const error = await failureOf(transport.call({ operation: "get_info", body: json({}), timeoutMs: 100 }));
    expect(error).toMatchObject({ code: "timed_out" });
    await eventually(() => server.closed.has(1)).toBe(true);
  });

  it("BR-026: a body that trickles goes on until the limit of the whole call", async () => {
    const server = await play(trickle("0123456789", 5));
    const transport = transportTo(server);
    const response = await transport.call({ operation: "get_info", body: json({}) });
    expect(new TextDecoder().decode(response.body)).toBe("0123456789");
  });

  it("BR-021: limits past 2^31 ms and Infinity do not fire at once", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server);
    await transport.call({ operation: "healthz", timeoutMs: 3e9 });
    await transport.call({ operation: "healthz", timeoutMs: Number.POSITIVE_INFINITY });
    expect(server.requests).toHaveLength(2);
  });

  it.each([-1, 0, Number.NaN])(
    "BR-021: a limit of %d is refused before anything is sent",
    async (timeoutMs) => {
      const server = await play(answer(200));
      const error = await failureOf(transportTo(server).call({ operation: "healthz", timeoutMs }));
      expect(error).toBeInstanceOf(ValidationError);
      expect(server.requests).toHaveLength(0);
    },
  );

  it("the limit of the whole call ends a pause", async () => {
    const server = await play(answer(503));
    const transport = transportTo(server);
    const error = await failureOf(transport.call({ operation: "create_session", timeoutMs: 5_000 }));
    expect(error).toMatchObject({ code: "timed_out", timeoutMs: 5_000 });
    expect(seconds(transport.clock).reduce((a, b) => a + b, 0)).toBe(5);
  });
});

describe("aborts", () => {
  it("transport 13: an abort during sending rejects at once with the reason as cause", async () => {
    const server = await play(stall);
    const controller = new AbortController();
    const reason = new Error("enough");
    const call = failureOf(transportTo(server).call({ operation: "healthz", signal: controller.signal }));
    await eventually(() => server.requests.length).toBe(1);
    controller.abort(reason);
    const error = await call;
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toBe(reason);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    await eventually(() => server.closed.has(1)).toBe(true);
  });

  it("transport 13, BR-003: an abort during a pause rejects at once, and nothing more is sent", async () => {
    const server = await play(answer(429, {}, { "retry-after": "30" }));
    const controller = new AbortController();
    const transport = transportTo(server, { clock: undefined });
    const call = failureOf(transport.call({ operation: "create_session", signal: controller.signal }));
    await eventually(() => server.requests.length).toBe(1);
    await delay(20);
    controller.abort("why not");
    expect(await call).toMatchObject({ code: "aborted", cause: "why not" });
    expect(server.requests).toHaveLength(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("a signal that has fired before the call keeps it from being sent", async () => {
    const server = await play(answer(200));
    const error = await failureOf(
      transportTo(server).call({ operation: "healthz", signal: AbortSignal.abort("no") }),
    );
    expect(error).toMatchObject({ code: "aborted", cause: "no" });
    expect(server.requests).toHaveLength(0);
  });

  describe("of a call whose arrival must not be in doubt", () => {
    it("let a try that has begun to leave go on to its end, and give its answer", async () => {
      const server = await play(after(300, answer(200, {})));
      const controller = new AbortController();
      const transport = transportTo(server);
      const call = transport.call({ operation: "optim_step", stopSignal: controller.signal });
      await eventually(() => server.requests.length).toBe(1);
      controller.abort("late");
      expect(await call).toMatchObject({ status: 200, attempts: 1 });
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    });

    it.each([
      [429, false],
      [503, true],
    ])(
      "do not repeat it after a %i, and say whether it may have arrived: %s",
      async (status, mayHaveArrived) => {
        const server = await play(after(400, answer(status)));
        const controller = new AbortController();
        const call = failureOf(
          transportTo(server).call({ operation: "optim_step", stopSignal: controller.signal }),
        );
        await eventually(() => server.requests.length).toBe(1);
        controller.abort("late");
        expect(await call).toMatchObject({ status, mayHaveArrived });
        expect(server.requests).toHaveLength(1);
      },
    );

    it.each([
      [429, false],
      [503, true],
    ])(
      "end a pause after a %i at once, and say whether it may have arrived: %s",
      async (status, mayHaveArrived) => {
        const server = await play(answer(status, {}, { "retry-after": "30" }));
        const controller = new AbortController();
        const transport = transportTo(server, { clock: undefined });
        const call = failureOf(transport.call({ operation: "optim_step", stopSignal: controller.signal }));
        await eventually(() => server.requests.length).toBe(1);
        await delay(20);
        controller.abort("enough");
        expect(await call).toMatchObject({ code: "aborted", cause: "enough", mayHaveArrived });
        expect(server.requests).toHaveLength(1);
      },
    );

    it("end it before it has begun to leave: nothing arrives", async () => {
      const server = await play(stall);
      const controller = new AbortController();
      const transport = transportTo(server, { poolLimits: { train: 1 } });
      const first = failureOf(transport.call({ operation: "optim_step" }));
      await eventually(() => server.requests.length).toBe(1);
      const second = transport.call({ operation: "optim_step", stopSignal: controller.signal });
      controller.abort("enough");
      expect(await failureOf(second)).toMatchObject({ code: "aborted", mayHaveArrived: false });
      const third = transport.call({ operation: "healthz", stopSignal: AbortSignal.abort("no") });
      expect(await failureOf(third)).toMatchObject({ code: "aborted", cause: "no", mayHaveArrived: false });
      expect(server.requests).toHaveLength(1);
      await transport.close();
      await first;
    });
  });

  it("BR-019: a long-lived signal keeps no listeners, nor warns of them", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server);
    const { signal } = new AbortController();
    const warnings: unknown[] = [];
    const onWarning = (warning: unknown): void => void warnings.push(warning);
    process.on("warning", onWarning);
    for (let i = 0; i < 200; i += 1) await transport.call({ operation: "healthz", signal });
    await Promise.all(Array.from({ length: 200 }, () => transport.call({ operation: "healthz", signal })));
    await delay(0);
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
