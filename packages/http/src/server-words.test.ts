import { gzipSync } from "node:zlib";
import type { Logger } from "@tinkex/base";
import { CANARY_KEY, everythingOf, findCanaries } from "@tinkex-tooling/canary";
import { answer, type HostileServer, type Move, redirect } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { consoleLogger } from "./hooks/console-logger.js";
import { play, transportTo } from "./testing/test-transport.js";

const escaped = (text: string): string =>
  Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const percent = (text: string): string =>
  Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
const lower = CANARY_KEY.toLowerCase();

/** Places where a server can quote the key it was sent, and put what a terminal obeys. */
const WAYS: readonly (readonly [way: string, move: Move])[] = [
  ["a detail, its first letter escaped", answer(401, `{"detail":"bad key \\u0074${CANARY_KEY.slice(1)}"}`)],
  ["a detail, all of it escaped", answer(401, `{"detail":"${escaped(CANARY_KEY)} \\u001b]0;owned\\u0007"}`)],
  ["the name of a member", answer(403, `{"${escaped(CANARY_KEY)}\\u009b2J":true}`)],
  ["the place of a fault", answer(422, { detail: [{ loc: ["x-api-key", CANARY_KEY], msg: "\u202eno" }] })],
  ["a page, percent-encoded", answer(403, `<a href="/login?key=${percent(CANARY_KEY)}">\u001b[31m</a>`)],
  ["base64", answer(401, { detail: `Basic ${btoa(`user:${CANARY_KEY}`)} refused` })],
  ["hexadecimal", answer(401, { detail: Buffer.from(CANARY_KEY).toString("hex") })],
  ["x-request-id", answer(404, { detail: "no" }, { "x-request-id": `${CANARY_KEY} \u009b2J` })],
  ["x-request-id, encoded", answer(404, { detail: "no" }, { "x-request-id": percent(CANARY_KEY) })],
  ["x-deprecation-note", answer(200, {}, { "x-deprecation-note": `\u009b31m${CANARY_KEY} is old` })],
  ["x-deprecation-note of an error", answer(404, {}, { "x-deprecation-note": percent(CANARY_KEY) })],
  ["content-encoding", answer(200, "abc", { "content-encoding": CANARY_KEY })],
  ["content-encoding of an error", answer(404, "abc", { "content-encoding": `${CANARY_KEY}\u009b` })],
  ["the scheme of a redirect", redirect(302, `${lower}:elsewhere`)],
  ["the host of a redirect", redirect(302, `http://${lower.replaceAll("_", "-")}.invalid./x`)],
  ["the host of a redirect with the body", redirect(307, `http://${lower}.invalid/x`)],
  [
    "a packed error",
    answer(400, gzipSync(`{"detail":"${escaped(CANARY_KEY)}"}`), { "content-encoding": "gzip" }),
  ],
];

/** Everything a call shows: log lines as they are written, fields, and its error. */
async function shownBy(
  server: HostileServer,
): Promise<{ readonly lines: string[]; readonly values: unknown[] }> {
  const lines: string[] = [];
  const values: unknown[] = [];
  const written = consoleLogger("debug", (line) => lines.push(line));
  const note =
    (level: keyof Logger): Logger["warn"] =>
    (message, fields) => {
      values.push(message, fields);
      written[level](message, fields);
    };
  const logger = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
  const transport = transportTo(server, { logger, firstContactRetries: 0 });
  const body = new TextEncoder().encode("{}");
  const outcome: unknown = await transport.call({ operation: "asample", body }).then(
    () => "succeeded",
    (error: unknown) => error,
  );
  expect(server.header("x-api-key")[0]).toBe(CANARY_KEY);
  if (outcome instanceof Error) lines.push(outcome.message);
  return { lines, values: [...values, outcome] };
}

describe("a key that the server quotes in", () => {
  it.each(WAYS)("%s is not shown, nor what a terminal would obey", async (_, move) => {
    const { lines, values } = await shownBy(await play(move));
    const shown = everythingOf(values);
    expect(findCanaries(shown)).toEqual([]);
    for (const form of [lower, btoa(`user:${CANARY_KEY}`).slice(8, -4), Buffer.from(lower).toString("hex")]) {
      expect(shown.toLowerCase()).not.toContain(form.toLowerCase());
    }
    expect(
      decodeURIComponent(shown.replaceAll("%", "%25").replace(/%25([0-9a-f]{2})/gi, "%$1")),
    ).not.toContain(CANARY_KEY);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
      expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

describe("shownText of a transport", () => {
  it("leaves out the credentials that it sends, and escapes control characters", () => {
    const transport = transportTo({ url: "http://127.0.0.1:9" });
    expect(transport.shownText(`\u001b[1m ${percent(CANARY_KEY)}`)).toBe("\\u001b[1m [redacted]");
    expect(transport.shownText("x".repeat(5000))).toHaveLength(2001);
  });

  it("knows a key that a source gave", async () => {
    const server = await play(answer(200));
    const key = "tml-from-a-source";
    const transport = transportTo(server, { apiKey: undefined, credential: () => key });
    await transport.call({ operation: "healthz" });
    expect(transport.shownText(`no ${key}`)).toBe("no [redacted]");
  });
});
