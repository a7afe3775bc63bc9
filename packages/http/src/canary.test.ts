import type { Logger, TransportCall } from "@tinkex/base";
import { CANARY_KEY, CANARY_PROMPT, everythingOf, findCanaries } from "@tinkex-tooling/canary";
import {
  answer,
  cutShort,
  type HostileServer,
  hangUp,
  type Move,
  raw,
  redirect,
  reset,
  stall,
} from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { consoleLogger } from "./hooks/console-logger.js";
import { failureOf, json, play, transportTo } from "./testing/test-transport.js";
import type { TransportOptions } from "./transport-options.js";

/** Everything that a transport shows of itself while it is used: log lines of all levels, written lines, events. */
interface Shown {
  readonly values: unknown[];
  readonly options: TransportOptions;
}

function watched(): Shown {
  const values: unknown[] = [];
  const show = (...shown: readonly unknown[]): void => void values.push(shown);
  const written = consoleLogger("debug", show);
  const both = (level: keyof Logger) => (message: string, details?: Readonly<Record<string, unknown>>) => {
    show(level, message, details);
    written[level](message, details);
  };
  const logger: Logger = {
    debug: both("debug"),
    info: both("info"),
    warn: both("warn"),
    error: both("error"),
  };
  return { values, options: { logger, hooks: { onRequest: show, onResponse: show, onRetry: show } } };
}

const CALL: TransportCall = {
  operation: "asample",
  body: json({ prompt: CANARY_PROMPT }),
  query: { note: CANARY_PROMPT },
  headers: { "CF-Access-Client-Secret": CANARY_KEY },
};

/** Ways for a call to go. */
const WAYS: readonly {
  readonly way: string;
  readonly moves: readonly Move[];
  readonly timeoutMs?: number;
}[] = [
  { way: "succeeds", moves: [answer(200)] },
  {
    way: "succeeds after faults",
    moves: [answer(503), reset, answer(429, {}, { "retry-after": "20" }), answer(200)],
  },
  { way: "is refused, its key quoted", moves: [answer(401, { detail: `no such key: ${CANARY_KEY}` })] },
  { way: "is refused, its key quoted in a page", moves: [answer(403, `<b>${CANARY_KEY}</b>`)] },
  {
    way: "is refused, its input quoted",
    moves: [answer(422, { detail: [{ loc: ["body"], msg: "no", input: CANARY_PROMPT }] })],
  },
  {
    way: "is answered garbage that quotes it",
    moves: [raw(`HTTP/1.1 banana ${CANARY_PROMPT} ${CANARY_KEY}\r\n\r\n`), answer(404)],
  },
  { way: "is refused after faults", moves: [reset, hangUp, answer(404)] },
  { way: "is cut short", moves: [cutShort(100, "abc", hangUp), answer(400, { detail: "no" })] },
  { way: "runs out of time", moves: [stall], timeoutMs: 500 },
  { way: "is redirected to what is no URL", moves: [redirect(302, "http://[")] },
  { way: "is redirected in a ring", moves: [redirect(302, "/again")] },
];

describe("transport 94: neither the key nor the prompt is in what a call shows", () => {
  it.each(WAYS)("when it $way", async ({ moves, timeoutMs }) => {
    const server = await play(...moves);
    const { values, options } = watched();
    const transport = transportTo(server, options);
    const call = timeoutMs === undefined ? CALL : { ...CALL, timeoutMs };
    values.push(await transport.call(call).catch((error: unknown) => error), transport);
    // They were sent, or it would prove nothing that they do not show.
    expect(server.header("x-api-key")[0]).toBe(CANARY_KEY);
    expect(server.requests[0]?.body.toString()).toContain(CANARY_PROMPT);
    expect(values.length).toBeGreaterThan(2);
    for (const value of values) expect(findCanaries(everythingOf(value))).toEqual([]);
  });

  it.each([
    ["an address where nobody is", {}],
    ["a fetch", { fetch: () => Promise.reject(new TypeError("fetch failed")) }],
  ])("when %s fails", async (_, extra) => {
    const { values, options } = watched();
    const transport = transportTo(
      { url: "http://127.0.0.1:9" },
      { ...options, ...extra, firstContactRetries: 1 },
    );
    values.push(await failureOf(transport.call(CALL)), transport);
    expect(findCanaries(values.map(everythingOf).join("\n"))).toEqual([]);
  });

  it.each([
    ["our own connections", {}],
    ["a fetch", { fetch }],
  ])("when %s end with garbage that quotes them", async (_, extra) => {
    const server = await play(raw(`HTTP/1.1 banana ${CANARY_PROMPT} ${CANARY_KEY}\r\n\r\n`));
    const { values, options } = watched();
    const transport = transportTo(server, { ...options, ...extra, firstContactRetries: 0 });
    values.push(await failureOf(transport.call(CALL)));
    expect(values.at(-1)).toMatchObject({ code: "connection_failed" });
    expect(findCanaries(values.map(everythingOf).join("\n"))).toEqual([]);
  });

  it("when it is aborted, or the transport closed", async () => {
    const server = await play(stall);
    const { values, options } = watched();
    const transport = transportTo(server, options);
    const controller = new AbortController();
    const aborted = failureOf(transport.call({ ...CALL, signal: controller.signal }));
    const closed = failureOf(transport.call(CALL));
    controller.abort();
    await transport.close();
    values.push(await aborted, await closed, await failureOf(transport.call(CALL)));
    expect(findCanaries(values.map(everythingOf).join("\n"))).toEqual([]);
  });
});

describe("transport 86: the other origin of a redirect", () => {
  async function redirectedTo(other: HostileServer, status: number): Promise<unknown[]> {
    const server = await play(redirect(status, `${other.url}/elsewhere`));
    const { values, options } = watched();
    const transport = transportTo(server, { ...options, defaultHeaders: { cookie: CANARY_KEY } });
    values.push(await transport.call(CALL).catch((error: unknown) => error));
    expect(server.header("cookie")).toEqual([CANARY_KEY]);
    return values;
  }

  it.each([301, 302, 303])("sees neither after a %i", async (status) => {
    const other = await play(answer(200));
    const values = await redirectedTo(other, status);
    expect(other.requests).toHaveLength(1);
    for (const { method, path, headers, body } of other.requests) {
      expect(findCanaries([method, path, everythingOf(headers), body.toString()].join("\n"))).toEqual([]);
    }
    expect(findCanaries(values.map(everythingOf).join("\n"))).toEqual([]);
  });

  it.each([307, 308])("sees nothing at all after a %i", async (status) => {
    const other = await play(answer(200));
    const values = await redirectedTo(other, status);
    expect(other.requests).toHaveLength(0);
    expect(findCanaries(values.map(everythingOf).join("\n"))).toEqual([]);
  });
});
