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

/** Lets the loop take so many turns. */
async function turns(count: number, inEach: () => void): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    inEach();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("FairTurns while connections come", () => {
  it("lets them go first, and a request now and then", async () => {
    const fair = new FairTurns();
    const admitted: number[] = [];
    fair.noteConnection();
    for (let index = 0; index < 20; index += 1) void fair.enter().then(() => admitted.push(index));
    await turns(6, () => fair.noteConnection());
    expect(admitted).toEqual([]);
    await turns(20, () => fair.noteConnection());
    expect(admitted.length).toBeGreaterThanOrEqual(2);
    expect(admitted.length).toBeLessThanOrEqual(4);
    await turns(6, () => {});
    expect(admitted).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it("keeps nobody waiting for a connection that came alone, before or with its request", async () => {
    const fair = new FairTurns();
    for (const inBetween of [0, 3]) {
      fair.noteConnection();
      await turns(inBetween, () => {});
      let isIn = false;
      void fair.enter().then(() => {
        isIn = true;
      });
      await turns(4, () => {});
      expect(isIn).toBe(true);
    }
  });
});

describe("a health check", () => {
  it("is answered before most of the requests whose connections were made before its own", async () => {
    const server = await TestServer.start();
    const count = 100;
    const sockets = Array.from({ length: count + 1 }, () => connect(server.running.port, "127.0.0.1"));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    const order: number[] = [];
    const answered = sockets.map(async (socket, index) => {
      const path = index === count ? "/healthz" : "/get_server_capabilities";
      socket.write(`GET /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
      await once(socket, "data");
      order.push(index);
    });
    await Promise.all(answered);
    expect(order.indexOf(count)).toBeLessThan(count / 2);
  });

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
