import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { TestServer } from "../testing/test-server.js";
import { FairTurns } from "./fair-turns.js";

describe("FairTurns", () => {
  it("admits a few in a turn of the loop, the others in the next ones, in order", async () => {
    const turns = new FairTurns();
    const admitted: number[] = [];
    const all = Promise.all(
      Array.from({ length: 20 }, (_, index) => turns.enter().then(() => void admitted.push(index))),
    );
    const counts: number[] = [];
    while (counts.at(-1) !== 20) {
      await new Promise((resolve) => setImmediate(resolve));
      counts.push(admitted.length);
    }
    await all;
    expect(admitted).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(counts[0]).toBeLessThanOrEqual(16);
    expect(counts.length).toBeGreaterThanOrEqual(2);
  });

  it("admits at once again after a pause", async () => {
    const turns = new FairTurns();
    await Promise.all(Array.from({ length: 9 }, () => turns.enter()));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    let isIn = false;
    const entering = turns.enter().then(() => {
      isIn = true;
    });
    await Promise.resolve();
    await Promise.resolve();
    expect(isIn).toBe(true);
    await entering;
  });
});

describe("a health check", () => {
  it("is answered before most of the requests that have arrived with it", async () => {
    const server = await TestServer.start();
    const count = 200;
    const sockets = Array.from({ length: count + 1 }, () => connect(server.running.port, "127.0.0.1"));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    const head = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
    // The server has taken every connection once it has answered on it.
    await Promise.all(
      sockets.map((socket) => {
        socket.write(head("/healthz"));
        return once(socket, "data");
      }),
    );
    const order: number[] = [];
    const answered = sockets.map(async (socket, index) => {
      await once(socket, "data");
      order.push(index);
    });
    // All of them are there before the server looks.
    for (const socket of sockets.slice(0, count)) socket.write(head("/get_server_capabilities"));
    sockets[count]?.write(head("/healthz"));
    await Promise.all(answered);
    expect(order.indexOf(count)).toBeLessThan(count / 2);
  });
});
