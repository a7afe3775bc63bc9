import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  after,
  answer,
  cutAt,
  cutShort,
  drip,
  every,
  file,
  gamble,
  goAway,
  HostileServer,
  halfClose,
  hangUp,
  inTurn,
  type ListenOptions,
  type Move,
  on,
  type Rule,
  raw,
  relay,
  relayThen,
  reset,
  resetStream,
  stall,
  storm,
  trickle,
  tunnel,
  tunnelCutAt,
  work,
  workUnanswered,
} from "./index.js";

async function start(options: ListenOptions): Promise<HostileServer> {
  const server = await HostileServer.start(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const play = (...script: readonly (Move | Rule)[]): Promise<HostileServer> => start({ script });
const portOf = (server: HostileServer): number => Number(new URL(server.url).port);

/** Sends one request over a bare socket, and gives what came until the end of the connection or the pause. */
async function speak(
  server: HostileServer,
  request = "GET / HTTP/1.1\r\n\r\n",
  pauseMs = 150,
): Promise<{ text: string; ending: string; socket: Socket }> {
  const socket = connect(portOf(server), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  let ending = "open";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", (error) => {
    ending = "code" in error ? String(error.code) : error.message;
  });
  socket.on("end", () => {
    ending = "end";
  });
  socket.write(request);
  await Promise.race([new Promise((resolve) => socket.once("close", resolve)), delay(pauseMs)]);
  return { text, ending, socket };
}

describe("moves over HTTP/1.1", () => {
  it("answers, and tells of the request before", async () => {
    const server = await play(answer(200, { ok: true }, { "x-two": ["a", "b"] }));
    const { text } = await speak(
      server,
      "POST /x?y=1 HTTP/1.1\r\nA: 1\r\na: 2\r\ncontent-length: 2\r\n\r\nhi",
    );
    expect(text).toMatch(/^HTTP\/1.1 200 .*x-two: a\r\nx-two: b\r\n\r\n\{"ok":true\}$/s);
    expect(server.requests).toEqual([
      {
        method: "POST",
        path: "/x?y=1",
        headers: { a: "1, 2", "content-length": "2" },
        body: Buffer.from("hi"),
        connection: 1,
      },
    ]);
  });

  it("reads a body in chunks", async () => {
    const server = await play(answer(200));
    await speak(
      server,
      "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n",
    );
    expect(server.requests[0]?.body.toString()).toBe("abcd");
  });

  it.each([
    ["stalls", stall, "", "open"],
    ["resets", reset, "", "ECONNRESET"],
    ["hangs up", hangUp, "", "end"],
    ["half-closes", halfClose, "", "end"],
    ["sends garbage", raw("\u0000", "banana\r\n\r\n"), "\u0000banana\r\n\r\n", "open"],
    ["stops at byte 12", cutAt(12, answer(200), hangUp), "HTTP/1.1 200", "end"],
    ["promises more than it sends", cutShort(9, "abc", hangUp), /content-length: 9\r\n\r\nabc$/, "end"],
    [
      "lies about the length",
      inTurn(answer(200, "abcdef", { "content-length": "3" }), hangUp),
      /: 3\r\n\r\nabcdef$/,
      "end",
    ],
    ["trickles", trickle("abc", 5), /\r\n\r\nabc$/, "open"],
    ["waits", after(20, hangUp), "", "end"],
  ] as const)("%s", async (_, move, text, ending) => {
    const seen = await speak(await play(move));
    if (typeof text === "string") expect(seen.text).toBe(text);
    else expect(seen.text).toMatch(text);
    expect(seen.ending).toBe(ending);
  });

  it.each([
    ["content-length: many\r\n\r\nbody"],
    ["content-length: -4\r\n\r\nbody"],
    ["transfer-encoding: chunked\r\n\r\nzz\r\nbody"],
  ])("ends a connection whose request it cannot read, and serves on: %j", async (rest) => {
    const server = await play(answer(200));
    expect(await speak(server, `POST / HTTP/1.1\r\n${rest}`)).toMatchObject({ text: "", ending: "end" });
    expect(server.requests).toEqual([]);
    expect((await speak(server)).text).toMatch(/^HTTP\/1.1 200 /);
  });

  it("after a half-close it still listens", async () => {
    const server = await play(halfClose);
    const socket = connect({ port: portOf(server), host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.resume();
    socket.write("GET /1 HTTP/1.1\r\n\r\n");
    await once(socket, "end");
    socket.write("GET /2 HTTP/1.1\r\n\r\n");
    await expect.poll(() => server.requests.map(({ path }) => path)).toEqual(["/1", "/2"]);
  });

  it("serves parts of a file", async () => {
    const server = await play(file(Buffer.from("0123456789"), '"v1"', 5));
    expect((await speak(server)).text).toMatch(/content-length: 10\r\n.*\r\n\r\n01234$/s);
    const rest = await speak(server, 'GET / HTTP/1.1\r\nrange: bytes=5-\r\nif-range: "v1"\r\n\r\n');
    expect(rest.text).toMatch(/ 206 .*content-range: bytes 5-9\/10\r\n\r\n56789$/s);
    const changed = await speak(server, 'GET / HTTP/1.1\r\nrange: bytes=5-\r\nif-range: "v2"\r\n\r\n');
    expect(changed.text).toMatch(/ 200 /);
  });

  it("follows the script: rules first, moves in turn, the last one for ever", async () => {
    const server = await play(
      on({ path: "/a", method: "GET" }, answer(418)),
      on({ header: ["x-kind", "odd"] }, answer(419)),
      ...storm(1, 7),
      answer(204),
    );
    const status = async (request: string): Promise<string> =>
      (await speak(server, request, 50)).text.slice(9, 12);
    expect(await status("GET /v1/a?q HTTP/1.1\r\n\r\n")).toBe("418");
    expect(await status("GET /b HTTP/1.1\r\nx-kind: odd\r\n\r\n")).toBe("419");
    expect(await status("GET /b HTTP/1.1\r\n\r\n")).toBe("429");
    expect(await status("GET /b HTTP/1.1\r\n\r\n")).toBe("204");
    expect(await status("POST /a HTTP/1.1\r\n\r\n")).toBe("204");
  });

  it("tells a used connection from a new one", async () => {
    const server = await play(on({ usedConnection: true }, hangUp), answer(200));
    const { text, ending } = await speak(server, "GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
    expect([text.slice(0, 12), ending]).toEqual(["HTTP/1.1 200", "end"]);
  });

  it("gambles by its seed: the same outcomes for the same seed", async () => {
    const outcomes = async (seed: number): Promise<string> => {
      const server = await play(gamble(0.5, seed, [answer(500), answer(503)], answer(200)));
      const { text } = await speak(server, "GET / HTTP/1.1\r\n\r\n".repeat(20));
      return [...text.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status).join(" ");
    };
    const first = await outcomes(1);
    expect(first).toMatch(/200/);
    expect(first).toMatch(/500/);
    expect(await outcomes(1)).toBe(first);
    expect(await outcomes(2)).not.toBe(first);
  });

  it("counts the requests that wait at one time", async () => {
    const server = await play(answer(200), after(20, answer(200)));
    await speak(server, "GET / HTTP/1.1\r\n\r\n");
    expect(server.mostWaiting).toBe(1);
    await speak(server, "GET / HTTP/1.1\r\n\r\n".repeat(3));
    expect(server.mostWaiting).toBe(3);
  });

  it("knows its connections, and breaks them when told", async () => {
    const server = await play(stall);
    const { socket } = await speak(server, undefined, 30);
    expect([...server.open]).toEqual([1]);
    const gone = new Promise((resolve) => socket.once("close", resolve));
    await server.breakConnections();
    await gone;
    await expect.poll(() => [...server.closed]).toEqual([1]);
    expect(server.mostOpen).toBe(1);
  });
});

describe("the ledger", () => {
  it("counts arrivals of each call, and does the work of a key once", async () => {
    const server = await play(work);
    const request = (call: string, key: string): string =>
      `POST /w HTTP/1.1\r\nx-hostile-call: ${call}\r\nx-idempotency-key: ${key}\r\n\r\n`;
    const { text } = await speak(
      server,
      request("1", "k1") + request("2", "k2") + request("1", "k1") + request("2", "k3"),
    );
    expect(text.match(/\{"echo":"\d"\}/g)).toEqual([
      '{"echo":"1"}',
      '{"echo":"2"}',
      '{"echo":"1"}',
      '{"echo":"2"}',
    ]);
    const silent = await play(workUnanswered);
    expect((await speak(silent, request("1", "k"), 30)).text).toBe("");
    expect(await silent.ledger()).toMatchObject([{ executions: 1 }]);
    expect(await server.ledger()).toEqual([
      { call: "1", method: "POST", path: "/w", keys: ["k1"], arrivals: [0, 2], executions: 1 },
      { call: "2", method: "POST", path: "/w", keys: ["k2", "k3"], arrivals: [1, 3], executions: 2 },
    ]);
  });
});

describe("TLS", () => {
  it("has a certificate for this machine by an authority of its own", async () => {
    const server = await start({ script: [answer(200)], tls: {} });
    const socket = connectTls({ port: portOf(server), host: "127.0.0.1", ca: server.ca });
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    expect(socket.authorized).toBe(true);
    socket.write("GET / HTTP/1.1\r\n\r\n");
    expect(String(await once(socket, "data"))).toMatch(/^HTTP\/1.1 200/);
  });

  it("keeps silent before the handshake as long as told", async () => {
    const server = await start({ script: [answer(200)], tls: { delayMs: 100 } });
    const startedAt = performance.now();
    const socket = connectTls({ port: portOf(server), host: "127.0.0.1", ca: server.ca });
    onTestFinished(() => void socket.destroy());
    await once(socket, "secureConnect");
    expect(performance.now() - startedAt).toBeGreaterThan(90);
  });

  it.each([
    ["reset", "ECONNRESET"],
    ["garbage", "ERR_SSL_WRONG_VERSION_NUMBER"],
  ] as const)("does a %s in place of a handshake", async (instead, code) => {
    const server = await start({ script: [], tls: { instead } });
    const socket = connectTls({ port: portOf(server), host: "127.0.0.1", ca: server.ca });
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code });
  });
});

describe.each([
  ["TCP", {}],
  ["TLS", { tls: {} }],
  ["HTTP/2", { tls: {}, http2: true }],
  ["a handshake that never comes", { tls: { delayMs: Number.POSITIVE_INFINITY } }],
] as const)("over %s", (protocol, options) => {
  it("a client that has gone is noticed", async () => {
    const server = await start({ script: [stall], ...options });
    const socket = connect(portOf(server), "127.0.0.1");
    const offers = { host: "127.0.0.1", ca: server.ca, ALPNProtocols: ["h2", "http/1.1"] };
    const talks = protocol === "TLS" || protocol === "HTTP/2" ? connectTls({ ...offers, socket }) : socket;
    await once(talks, talks === socket ? "connect" : "secureConnect");
    await expect.poll(() => server.open.size).toBe(1);
    talks.destroy();
    await expect.poll(() => server.closed.size).toBe(1);
  });
});

describe("as a proxy", () => {
  const CONNECT = "CONNECT somewhere.invalid:80 HTTP/1.1\r\n\r\n";

  it("leads a CONNECT to a port of this machine, for as long as both sides stay", async () => {
    const behind = await play(answer(200, "found"));
    const proxy = await play(on({ method: "CONNECT" }, tunnel(portOf(behind))), answer(404));
    const { text, socket } = await speak(proxy, CONNECT);
    expect(text).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
    const found = once(socket, "data");
    socket.write("GET /x HTTP/1.1\r\n\r\n");
    expect(String((await found)[0])).toMatch(/^HTTP\/1\.1 200 .*found$/s);
    expect(proxy.requests.map(({ method, path }) => [method, path])).toEqual([
      ["CONNECT", "somewhere.invalid:80"],
    ]);
    expect(behind.requests.map(({ path }) => path)).toEqual(["/x"]);
    const gone = once(socket, "close");
    await behind.breakConnections();
    await gone;
  });

  it("sends a head one byte at a time", async () => {
    const proxy = await play(drip("HTTP/1.1 2", 5));
    const { text, ending } = await speak(proxy, CONNECT);
    expect({ text, ending }).toEqual({ text: "HTTP/1.1 2", ending: "open" });
  });

  it("passes each request on to the server behind, and its answer back", async () => {
    const behind = await play(answer(201, { made: true }, { "x-kept": "yes" }));
    const server = await play(relay(portOf(behind)));
    const said = await speak(server, "POST /a?b=c HTTP/1.1\r\nx-sent: 1\r\ncontent-length: 2\r\n\r\nhi");
    expect(said.text).toMatch(/^HTTP\/1\.1 201 /);
    expect(said.text).toContain("\r\nx-kept: yes\r\n");
    expect(said.text).toMatch(/\r\n\r\n\{"made":true\}$/);
    expect(behind.requests).toMatchObject([
      { method: "POST", path: "/a?b=c", headers: { "x-sent": "1" }, body: Buffer.from("hi") },
    ]);
  });

  it("loses each third answer of the server behind, which has done all of the work", async () => {
    const behind = await play(answer(200));
    const port = portOf(behind);
    const server = await play(every(3, relayThen(port, reset), relay(port)));
    const endings: string[] = [];
    for (let count = 0; count < 6; count++) endings.push((await speak(server)).ending);
    expect(endings).toEqual(["open", "open", "ECONNRESET", "open", "open", "ECONNRESET"]);
    expect(behind.requests).toHaveLength(6);
  });

  it("resets a connection whose request it can pass on to nobody", async () => {
    const gone = await HostileServer.play(answer(200));
    const port = portOf(gone);
    await gone[Symbol.asyncDispose]();
    expect((await speak(await play(relay(port)))).ending).toBe("ECONNRESET");
  });

  it.each([
    ["a tunnel", (port: number) => tunnel(port)],
    ["a tunnel that is to be cut later", (port: number) => tunnelCutAt(10_000, port, reset)],
  ])("%s whose server has hung up still sees that the client ends", async (_, tunnelTo) => {
    const behind = await play(hangUp);
    const proxy = await play(on({ method: "CONNECT" }, tunnelTo(portOf(behind))), answer(404));
    const { socket } = await speak(proxy, CONNECT, 30);
    socket.allowHalfOpen = true;
    const ended = once(socket, "end");
    socket.write("GET /x HTTP/1.1\r\n\r\n");
    await ended;
    // By now the pipe to the server has been taken away.
    await expect.poll(() => behind.open.size, { timeout: 10_000 }).toBe(0);
    socket.end("more that nobody reads");
    await expect.poll(() => proxy.open.size, { timeout: 10_000 }).toBe(0);
  });

  it("a port where nobody is ends the connection", async () => {
    const { ending } = await speak(await play(tunnel(9)), CONNECT);
    expect(ending).not.toBe("open");
  });
});

describe("HTTP/2", { timeout: 10_000 }, () => {
  async function session(...script: readonly Move[]) {
    const server = await start({ script, tls: {}, http2: true });
    const client = connectHttp2(server.url, { ca: server.ca });
    onTestFinished(() => void client.destroy());
    client.on("error", () => {});
    return { server, client };
  }

  it("answers", async () => {
    const { server, client } = await session(answer(201, "abc"));
    const stream = client.request({ ":path": "/x", ":method": "POST", "x-a": "1" });
    stream.end("hi");
    const [headers] = await once(stream, "response");
    expect(headers).toMatchObject({ ":status": 201, "content-length": "3" });
    expect(String(await once(stream, "data"))).toBe("abc");
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/x",
      headers: { "x-a": "1" },
      connection: 1,
    });
  });

  it("takes leave, and breaks off a stream", async () => {
    const { client } = await session(inTurn(goAway, answer(200)), resetStream(7));
    const goodbye = once(client, "goaway");
    const stream = client.request({ ":path": "/" });
    await once(stream, "response");
    expect((await goodbye)[0]).toBe(0);

    const other = (await session(resetStream(7))).client.request({ ":path": "/" });
    const [error] = await once(other, "error").catch((thrown: unknown) => [thrown]);
    expect(error).toMatchObject({
      code: "ERR_HTTP2_STREAM_ERROR",
      message: expect.stringMatching(/REFUSED_STREAM/),
    });
  });
});

describe("a proxy", () => {
  const CONNECT = "CONNECT a:1 HTTP/1.1\r\n\r\n";

  it("breaks a tunnel off after so many bytes of the server behind", async () => {
    const behind = await play(raw("0123456789"));
    for (const [count, move, isOpen] of [
      [4, hangUp, false],
      [0, reset, false],
      [7, stall, true],
    ] as const) {
      const proxy = await play(on({ method: "CONNECT" }, tunnelCutAt(count, portOf(behind), move)));
      const { socket } = await speak(proxy, CONNECT, 30);
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      socket.write("GET / HTTP/1.1\r\n\r\n");
      if (isOpen) await delay(100);
      else if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
      expect(text).toBe("0123456789".slice(0, count));
      expect(socket.closed).toBe(!isOpen);
    }
  });

  it("speaks SOCKS5: ways to log in, the login, the place, and then the tunnel", async () => {
    const behind = await play(raw("hello"));
    const proxy = await start({ script: [tunnel(portOf(behind))], socks: {} });
    expect(proxy.url).toMatch(/^socks5:/);
    const login = "\u0001\u0001u\u0001p";
    const place = "\u0005\u0001\u0000\u0003\u0003abc\u0000\u0050";
    const { text, socket } = await speak(proxy, `\u0005\u0002\u0000\u0002${login}${place}`);
    expect(text).toBe(`\u0005\u0002\u0001\u0000\u0005\u0000\u0000\u0001${"\u0000".repeat(6)}`);
    socket.write("GET / HTTP/1.1\r\n\r\n");
    expect(String(await once(socket, "data"))).toBe("hello");
    expect(proxy.requests).toMatchObject([
      { method: "CONNECT", path: "abc:80", headers: { "proxy-authorization": "u:p" } },
    ]);
  });

  it("of SOCKS5 does as told about the greeting and the login", async () => {
    const silent = await start({ script: [stall], socks: { greeting: raw("no") } });
    expect((await speak(silent, "\u0005\u0001\u0000")).text).toBe("no");
    const refusing = await start({ script: [stall], socks: { login: raw("\u0001\u0001") } });
    expect((await speak(refusing, "\u0005\u0001\u0002\u0001\u0001u\u0001p")).text).toBe(
      "\u0005\u0002\u0001\u0001",
    );
    expect(refusing.requests).toHaveLength(0);
  });
});
