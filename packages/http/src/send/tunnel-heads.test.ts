import { connect, createServer, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ConnectionError } from "@tinkex/base";
import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf, play, text, transportTo } from "../testing/test-transport.js";

/** Opens an HTTP proxy that says `say` where it is asked for a tunnel, and leads on to `port` then. Gives its address. */
async function proxyThat(say: (socket: Socket) => Promise<void> | void, port: number): Promise<string> {
  const open = new Set<Socket>();
  const proxy = createServer((socket) => {
    open.add(socket.on("error", () => {}));
    socket.once("data", async () => {
      socket.pause();
      await say(socket);
      const server = connect(port, "127.0.0.1").on("error", () => socket.destroy());
      open.add(server);
      socket.pipe(server).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    proxy.close();
  });
  const address = proxy.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

async function callThrough(say: (socket: Socket) => Promise<void> | void) {
  const server = await play(answer(200, { ok: 1 }));
  const httpProxy = await proxyThat(say, Number(new URL(server.url).port));
  const options = { proxy: { httpProxy }, firstContactRetries: 0, connectTimeoutMs: 2_000 };
  return transportTo({ url: "http://behind-proxy.test" }, options).call({ operation: "get_info" });
}

describe("the head of an answer to CONNECT", () => {
  it.each([
    ["without a reason", "HTTP/1.1 200\r\n\r\n"],
    ["of HTTP/1.0", "HTTP/1.0 200 Connection established\r\nproxy-agent: x/1\r\n\r\n"],
    ["of another success", "HTTP/1.1 299 Fine\r\n\r\n"],
    ["of no content", "HTTP/1.1 204 No Content\r\n\r\n"],
    // RFC 9110, 9.3.6: both are to be ignored in a success.
    ["with a length", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"],
    ["with a length of more than there is", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n"],
    ["that is chunked", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"],
    ["with a folded line", "HTTP/1.1 200 OK\r\nvia: a\r\n b\r\n\tc\r\n\r\n"],
    [
      "behind three others",
      `${"HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n".repeat(3)}HTTP/1.1 200 OK\r\n\r\n`,
    ],
    ["with a reason of 15 KB", `HTTP/1.1 200 ${"x".repeat(15_000)}\r\n\r\n`],
    ["with bytes that are no ASCII", "HTTP/1.1 200 Verbindung h\u00e4lt\r\nvia: \u00ff\r\n\r\n"],
    // RFC 9112, 2.2: a line feed alone may end a line; httpx and curl take it.
    ["with line feeds alone", "HTTP/1.1 200 OK\nvia: a\n\n"],
    ["with ends of lines of both kinds", "HTTP/1.1 200 OK\r\nvia: a\n\r\n"],
    ["with line feeds behind another", "HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\n\n"],
  ])("is taken %s, whole and byte by byte", async (_, head) => {
    const bytes = Buffer.from(head, "latin1");
    const whole = await callThrough((socket) => void socket.write(bytes));
    expect(text(whole.body)).toBe('{"ok":1}');
    if (bytes.byteLength > 200) return;
    const dripped = await callThrough(async (socket) => {
      for (const byte of bytes) {
        socket.write(Buffer.of(byte));
        await delay(1);
      }
    });
    expect(text(dripped.body)).toBe('{"ok":1}');
  });

  it.each([
    ["a status line of 20 KB without an end", `HTTP/1.1 200 ${"x".repeat(20_000)}`],
    ["answers without end before it", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(40_000)],
    ["a body behind it", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"],
    ["an empty body in chunks behind it", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["two spaces", "HTTP/1.1  200 OK\r\n\r\n"],
    ["a status of its own", "HTTP/1.1 +20 OK\r\n\r\n"],
    ["carriage returns alone", `HTTP/1.1 200 OK\r\r${"\r".repeat(17_000)}`],
  ])("is not taken with %s", async (_, head) => {
    const error = await failureOf(callThrough((socket) => void socket.write(Buffer.from(head, "latin1"))));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain("the proxy's answer is not HTTP");
  });

  it.each([
    ["without an end", "HTTP/1.1 200 OK\r\nvia: a\r\n"],
    ["of a beginning alone", "HTTP/1.1 103 Early Hints\r\n\r\n"],
    ["of one line feed", "HTTP/1.1 200 OK\n"],
  ])("%s is waited for until connectTimeoutMs", async (_, head) => {
    const error = await failureOf(
      callThrough(async (socket) => {
        socket.write(head);
        await delay(10_000, undefined, { ref: false });
      }),
    );
    expect(error).toMatchObject({ cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
  });
});
