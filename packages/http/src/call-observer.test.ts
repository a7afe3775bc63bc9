import { setTimeout as sleep } from "node:timers/promises";
import type { CallObserver } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { answer, reset, stall } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { eventually, failureOf, play, transportTo } from "./testing/test-transport.js";

/** An observer of one call that keeps what it hears, in order. */
function recording(): { readonly observer: CallObserver; readonly heard: string[] } {
  const heard: string[] = [];
  const observer: CallObserver = {
    aroundTry: async ({ attempt }, send) => {
      heard.push(`try ${attempt}`);
      return send();
    },
    ended: ({ attempt }, { outcome }) => heard.push(`try ${attempt} ${outcome}`),
    retrying: (attempts, outcome, delayMs) => heard.push(`${outcome} after ${attempts}, again in ${delayMs}`),
    pausing: (delayMs) => heard.push(`quiet for ${delayMs}`),
  };
  return { observer, heard };
}

describe("the observer of a call", () => {
  it("hears of its tries, repeats and pauses, and of no other call", async () => {
    const server = await play(reset, answer(503), answer(200));
    const transport = transportTo(server);
    const { observer, heard } = recording();
    await transport.call({ operation: "healthz", observer });
    expect(heard.splice(0)).toEqual([
      "try 1",
      "try 1 ECONNRESET",
      "ECONNRESET after 1, again in 500",
      "try 2",
      "try 2 answered 503",
      "answered 503 after 2, again in 1000",
      "try 3",
      "try 3 answered 200",
    ]);
    await transport.call({ operation: "healthz" });
    expect(heard).toEqual([]);
  });

  it("hears that a call waits while the service wants quiet for the calls of its kind", async () => {
    const server = await play(answer(429, {}, { "retry-after": "5" }), answer(200));
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const transport = transportTo(server, { clock });
    const { observer, heard } = recording();
    const first = transport.call({ operation: "healthz" });
    await eventually(() => clock.sleeps.length).toBe(1);
    const second = transport.call({ operation: "healthz", observer });
    expect(heard).toEqual(["quiet for 5000"]);
    await clock.advance(10_000);
    await Promise.all([first, second]);
    expect(heard.slice(1)).toEqual(["try 1", "try 1 answered 200"]);
  });

  it("hears of the end of a try whose call is aborted", async () => {
    const server = await play(stall);
    const controller = new AbortController();
    const { observer, heard } = recording();
    const call = failureOf(
      transportTo(server).call({ operation: "healthz", signal: controller.signal, observer }),
    );
    await eventually(() => server.requests.length).toBe(1);
    controller.abort();
    await call;
    expect(heard).toEqual(["try 1", "try 1 aborted"]);
  });
});

describe("headers that the observer of a call adds", () => {
  const GIVEN = `00-${"1".repeat(32)}-${"2".repeat(16)}-01`;

  /** An observer that adds these headers to every try, and the number of the try. */
  const adding = (headers: Readonly<Record<string, string>>): CallObserver => ({
    ...recording().observer,
    aroundTry: ({ attempt }, send) => send({ ...headers, "x-try": String(attempt) }),
  });

  it("go out with each try, and with no other call", async () => {
    const server = await play(answer(503), answer(200), answer(200));
    const transport = transportTo(server);
    await transport.call({ operation: "healthz", observer: adding({ Traceparent: GIVEN }) });
    await transport.call({ operation: "healthz" });
    const sent = server.requests.map(({ headers }) => [headers.traceparent, headers["x-try"]]);
    expect(sent).toEqual([
      [GIVEN, "1"],
      [GIVEN, "2"],
      [undefined, undefined],
    ]);
  });

  it("replace none that the call has, and are left out where no request may carry them", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server);
    const observer = adding({
      "X-API-Key": "stolen",
      traceparent: GIVEN,
      "x-broken": "a\r\nb: c",
      "bad name": "d",
    });
    await transport.call({ operation: "healthz", headers: { traceparent: "own" }, observer });
    const [request] = server.requests;
    expect(request?.headers.traceparent).toBe("own");
    expect(request?.headers["x-api-key"]).not.toBe("stolen");
    expect(Object.keys(request?.headers ?? {})).not.toContain("x-broken");
    expect(request?.headers).not.toHaveProperty("b");
  });
});

describe("the statistics of a transport", () => {
  it("count requests under way and waiting by kind, and connections", async () => {
    const server = await play(stall);
    const transport = transportTo(server, { poolLimits: { rest: 2 } });
    expect(transport.stats().sockets).toBe(0);
    const controller = new AbortController();
    const { signal } = controller;
    const calls = [1, 2, 3].map(() => failureOf(transport.call({ operation: "get_audit_log", signal })));
    await eventually(() => server.requests.length).toBe(2);
    expect(transport.stats()).toMatchObject({
      requests: { rest: { active: 2, queued: 1 }, poll: { active: 0, queued: 0 } },
      sockets: 2,
    });
    controller.abort();
    await Promise.all(calls);
    expect(transport.stats().requests.rest).toEqual({ active: 0, queued: 0 });
    await transport.close();
    await sleep(1);
    expect(transport.stats().sockets).toBe(0);
  });

  it("say nothing of connections that a fetch of the caller's makes", async () => {
    const server = await play(answer(200));
    const transport = transportTo(server, { fetch });
    await transport.call({ operation: "healthz" });
    expect(transport.stats().sockets).toBeUndefined();
  });
});
