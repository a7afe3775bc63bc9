import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { TestServer } from "../testing/test-server.js";

function open(server: TestServer, text = ""): Socket {
  const socket = connect(server.running.port, "127.0.0.1");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  if (text !== "") socket.write(text);
  return socket;
}

/** All that a server sends until it hangs up. */
async function untilHungUp(socket: Socket): Promise<string> {
  let received = "";
  socket.setEncoding("utf8").on("data", (text) => {
    received += text;
  });
  await once(socket, "close");
  return received;
}

const HEAD = "POST /api/v1/create_session HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n";
const LIMITS = { headTimeoutMs: 300, requestTimeoutMs: 600 };

describe("clients that send half a request and wait", () => {
  it.each([
    ["half a line", "POST /api/v1/cre"],
    ["half a head", HEAD],
    ["half a body", `${HEAD}content-length: 100\r\n\r\n{"tags"`],
    ["half of a body in chunks", `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\n{"tag\r\n`],
  ])("are let go after %s", async (_, text) => {
    const server = await TestServer.start({ limits: LIMITS });
    expect(await untilHungUp(open(server, text))).toMatch(/^HTTP\/1\.1 408/);
  });

  it("do not keep others from being served, three hundred of them neither", async () => {
    const server = await TestServer.start();
    const texts = ["", "GET /", HEAD, `${HEAD}content-length: 10\r\n\r\n{`];
    const sockets = Array.from({ length: 300 }, (_, index) => open(server, texts[index % texts.length]));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    expect((await server.get("/healthz")).status).toBe(200);
    expect(await server.createModel()).toMatch(/train/);
  });

  it("have their limits in the servers that users start", async () => {
    const { DEFAULT_LIMITS } = await import("./limits.js");
    expect(DEFAULT_LIMITS.headTimeoutMs).toBeLessThanOrEqual(60_000);
    expect(DEFAULT_LIMITS.requestTimeoutMs).toBeLessThanOrEqual(300_000);
  });

  it("a poll that is held is no such client", async () => {
    const server = await TestServer.start({ limits: { ...LIMITS, holdMs: 1_500 } });
    const session_id = await server.createSession();
    const release = server.engine.hold();
    const id = await server.submit("/create_model", {
      session_id,
      model_seq_id: 0,
      base_model: "test/one",
      lora_config: { rank: 4 },
    });
    expect((await server.post("/retrieve_future", { request_id: id })).status).toBe(408);
    release();
    expect(await server.retrieve(id)).toMatchObject({ model_id: expect.any(String) });
  });
});

describe("bodies in very small chunks", () => {
  it("take no more memory than others", async () => {
    const server = await TestServer.start();
    const socket = open(server, `${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
    const answer = untilHungUp(socket);
    const size = 800_000;
    socket.write("1\r\n[\r\n");
    const before = process.memoryUsage();
    let most = 0;
    for (let sent = 0; sent < size; sent += 20_000) {
      if (!socket.write("1\r\n \r\n".repeat(20_000))) await once(socket, "drain");
      const { heapUsed, external } = process.memoryUsage();
      most = Math.max(most, heapUsed + external - before.heapUsed - before.external);
    }
    socket.end("1\r\n]\r\n0\r\n\r\n");
    expect(await answer).toMatch(/^HTTP\/1\.1 422/);
    // In chunks of one byte each, eight hundred thousand of them, it was over ninety megabytes.
    expect(most).toBeLessThan(10 * size + 32 * 2 ** 20);
  });

  it("arrive as they were sent, between large ones too", async () => {
    const server = await TestServer.start();
    const socket = open(server, `${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
    const answer = untilHungUp(socket);
    const parts = ['{"tags":["', "a", "b".repeat(100_000), "c", "d".repeat(5_000), '"],"x', '":1}'];
    for (const part of parts) {
      socket.write(`${part.length.toString(16)}\r\n${part}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    socket.end("0\r\n\r\n");
    expect(await answer).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe("bodies that are not wanted", () => {
  it("leave the connection usable for the next request", async () => {
    const server = await TestServer.start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const post = (path: string, type: string, body: string) =>
      new Promise<number>((resolve, reject) => {
        const sent = request(
          {
            agent,
            port: server.running.port,
            path: `/api/v1${path}`,
            method: "POST",
            headers: { "content-type": type },
          },
          (response) => response.resume().on("end", () => resolve(response.statusCode ?? 0)),
        );
        sent.on("error", reject);
        sent.end(body);
      });
    const large = " ".repeat(3_000_000);
    expect(await post("/nothing", "text/plain", large)).toBe(404);
    expect(await post("/create_session", "application/json", "{}")).toBe(200);
    expect(await post("/create_session", "text/plain", large).catch(() => 415)).toBe(415);
    expect(await post("/create_session", "application/json", "{}")).toBe(200);
  });
});

describe("what is no request", () => {
  it.each([
    ["no HTTP at all", "NONSENSE\r\n\r\n", 400],
    ["a control character in a header", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: \u0001\r\n\r\n", 400],
    ["headers of 20 kB", `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["a head that does not end", "POST /api/v1/cre", 408],
  ])("is answered with a detail as every refusal is: %s", async (_, text, status) => {
    const server = await TestServer.start({ limits: LIMITS });
    const answer = await untilHungUp(open(server, text));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const [, body = ""] = answer.split("\r\n\r\n");
    expect(JSON.parse(body)).toEqual({ detail: expect.stringMatching(/^the .*request must/) });
  });
});
