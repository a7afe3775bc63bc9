import { createHash } from "node:crypto";
import { getEventListeners } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { ConnectionError, ResponseError, systemClock, TinkexError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HubClient } from "./hub-client.js";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const file = { id: "org/model", revision: "main", name: "tokenizer.json" };
const sha1 = (text: string) => createHash("sha1").update(text).digest("hex");
const servers: Server[] = [];
let directory: string;
let path: string;

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on TCP has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const client = (endpoint: string, token?: string) =>
  new HubClient({
    endpoint,
    token: async () => token,
    fetch,
    clock: {
      ...systemClock,
      // Pauses are over at once; limits of time, which run in the background, are not.
      sleep: async (ms, signal, options) =>
        options?.background === true ? systemClock.sleep(ms, signal, options) : undefined,
    },
  });
const fail = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, "file");
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe("a download longer than declared", () => {
  const CHUNK = Buffer.alloc(64 * 1024, 120);

  it.each([
    ["without end", Number.POSITIVE_INFINITY, {}],
    ["by one byte", 6_534, {}],
    ["with a length of its own", 7_000, { "content-length": 7_000 }],
  ])("stops at the declared size: %s", async (_name, length, headers) => {
    const endpoint = await serve((_request, response) => {
      response.writeHead(200, headers);
      let left = length;
      const push = () => {
        for (; left > 0 && !response.destroyed; left -= CHUNK.length) {
          if (!response.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK)) {
            response.once("drain", push);
            left -= CHUNK.length;
            return;
          }
        }
        response.end();
      };
      push();
    });
    const info = { commit: COMMIT, etag: undefined, sizeBytes: 6_533 };
    const error = await fail(client(endpoint).download(file, info, path));
    expect(error).toBeInstanceOf(ResponseError);
    expect(String(error)).toMatch(/at most 6533 bytes/);
    expect((await stat(path)).size).toBeLessThanOrEqual(6_533);
  });

  it.each(["1e999", "-1", "1e3", "99999999999999999999", "4294967296", "NaN", "0x10"])(
    "is not begun where the size declared is %s",
    async (size) => {
      const endpoint = await serve((_request, response) => {
        response.writeHead(302, {
          location: "http://localhost:9/elsewhere",
          "x-repo-commit": COMMIT,
          etag: '"abc"',
          "x-linked-size": size,
        });
        response.end();
      });
      const error = await fail(client(endpoint).info(file));
      expect(error).toBeInstanceOf(ResponseError);
    },
  );
});

describe("the hash that the hub declares", () => {
  const body = "{}";
  const sha256 = createHash("sha256").update(body).digest("hex");
  const download = async (etag: string, sizeBytes: number | undefined) => {
    const endpoint = await serve((_request, response) => response.end(body));
    await client(endpoint).download(file, { commit: COMMIT, etag, sizeBytes }, path);
    return readFile(path, "utf8");
  };

  it.each([
    ["git's SHA-1", sha1(`blob 2\0${body}`)],
    ["SHA-256", sha256],
    ["of no known kind", "abc-1"],
  ])("fits: %s", async (_name, etag) => {
    expect(await download(etag, 2)).toBe(body);
    expect(await download(etag, undefined)).toBe(body);
  });

  it.each([
    ["git's SHA-1", sha1("blob 2\0[]")],
    ["a SHA-1 without git's header", sha1(body)],
    ["SHA-256", sha256.replace(/^./, (digit) => (digit === "0" ? "1" : "0"))],
  ])("does not fit other content of the same length: %s", async (_name, etag) => {
    for (const sizeBytes of [2, undefined]) {
      const error = await fail(download(etag, sizeBytes));
      expect(error).toBeInstanceOf(ResponseError);
      expect(String(error)).toContain("arrived damaged");
    }
  });
});

it("a part that nobody asked for does not pass for the file", async () => {
  const endpoint = await serve((_request, response) => {
    response.writeHead(206, { "content-range": "bytes 0-4/100" }).end("trunc");
  });
  const info = { commit: COMMIT, etag: "abc", sizeBytes: undefined };
  await expect(client(endpoint).download(file, info, path)).rejects.toMatchObject({ status: 206 });
  await expect(stat(path)).rejects.toThrow("ENOENT");
});

describe("a redirection", () => {
  it.each([
    ["that is no address", "http://["],
    ["to a port that is none", "http://127.0.0.1:99999999/"],
    ["to a file", "file:///etc/passwd"],
    ["to data", "data:text/plain,injected"],
    ["with a password", "http://user:PASS@127.0.0.1:9/"],
  ])("%s is a ResponseError that does not show it", async (_name, location) => {
    const endpoint = await serve((_request, response) => {
      response.writeHead(302, { location, "x-repo-commit": COMMIT }).end();
    });
    const info = { commit: COMMIT, etag: undefined, sizeBytes: undefined };
    for (const work of [client(endpoint).info(file), client(endpoint).download(file, info, path)]) {
      const error = await fail(work);
      expect(error).toBeInstanceOf(ResponseError);
      expect(TinkexError.isInstance(error)).toBe(true);
      expect(inspect(error, { depth: 10 })).not.toContain("PASS");
    }
  });

  it("to another host takes no token along, nor does the way back", async () => {
    const seen: (readonly [string | undefined, string | undefined])[] = [];
    let other = "";
    const hub = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      if (request.url === "/back") response.end("x");
      else response.writeHead(302, { location: `${other}/file` }).end();
    });
    other = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization]);
      response.writeHead(307, { location: `${hub}/back` }).end();
    });
    const info = { commit: COMMIT, etag: undefined, sizeBytes: 1 };
    await client(hub, "hf_a").download(file, info, path);
    expect(seen).toEqual([
      ["/org/model/resolve/main/tokenizer.json", "Bearer hf_a"],
      ["/file", undefined],
      ["/back", undefined],
    ]);
  });
});

describe("a hub that does not answer", () => {
  /** A client whose requests end only when they are aborted, and the clock by which it waits. */
  const waiting = () => {
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    let requests = 0;
    const silent: typeof fetch = (_url, init) => {
      requests += 1;
      return new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason), { once: true });
      });
    };
    const hub = new HubClient({
      endpoint: "http://hub.test",
      token: async () => undefined,
      fetch: silent,
      clock,
    });
    return { clock, hub, requestCount: () => requests };
  };

  it.each([
    ["a lookup after 10 s", 10_000],
    ["a download after 10 minutes", 600_000],
  ])("is asked three times, with the pauses of the hub's back-off: %s", async (name, limitMs) => {
    const { clock, hub, requestCount } = waiting();
    const info = { commit: COMMIT, etag: undefined, sizeBytes: 1 };
    const outcome = fail(name.startsWith("a lookup") ? hub.info(file) : hub.download(file, info, path));
    await clock.advance(limitMs - 1);
    expect(requestCount()).toBe(1);
    await clock.advance(1 + 500);
    expect(requestCount()).toBe(2);
    await clock.advance(limitMs + 1_000);
    expect(requestCount()).toBe(3);
    await clock.advance(limitMs);
    const error = await outcome;
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ attempts: 3 });
    expect(clock.sleeps).toEqual([500, 1_000]);
    expect(clock.sleepingInBackground).toBe(0);
  });

  it("is left at once when the caller aborts, without a listener or a timer", async () => {
    const { clock, hub, requestCount } = waiting();
    const caller = new AbortController();
    const outcomes = Array.from({ length: 20 }, () => fail(hub.info(file, caller.signal)));
    await clock.advance(100);
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(1);
    caller.abort(new Error("enough"));
    expect(await Promise.all(outcomes)).toEqual(Array.from({ length: 20 }, () => new Error("enough")));
    expect(requestCount()).toBe(20);
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
    await clock.advance(0);
    expect(clock.sleepingInBackground).toBe(0);
  });
});
