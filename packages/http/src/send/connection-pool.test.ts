import { answer } from "@tinkex-tooling/hostile-server";
import { buildConnector, Client } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, play, startServer } from "../testing/test-transport.js";
import { withAbandon } from "./connect.js";
import { ConnectionPool, type LeavingHandler } from "./connection-pool.js";

function poolTo(url: string, options: Client.Options = {}): ConnectionPool {
  const connect = withAbandon(
    buildConnector(typeof options.connect === "object" ? { allowH2: true, ...options.connect } : {}),
  );
  const pool = new ConnectionPool((connect) => new Client(url, { ...options, connect }), connect);
  onTestFinished(() => pool.destroy());
  return pool;
}

/** Sends a GET; resolves with its status once the answer is whole. */
function get(pool: ConnectionPool, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let isOver = false;
    const handler: LeavingHandler = {
      get isOver() {
        return isOver;
      },
      isFirst: false,
      connection: undefined,
      onRequestStart: () => {},
      onResponseStart: (_, code) => {
        status = code;
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        isOver = true;
        resolve(status);
      },
      onResponseError: (_, error) => {
        isOver = true;
        reject(error);
      },
    };
    pool.dispatch({ path: "/", method: "GET", headers }, handler);
  });
}

describe("ConnectionPool", () => {
  it("makes a connection for each request under way, and uses them again", async () => {
    const server = await play(answer(200));
    const pool = poolTo(server.url);
    await Promise.all([get(pool), get(pool), get(pool)]);
    expect(pool.size).toBe(3);
    await new Promise(setImmediate);
    await Promise.all([get(pool), get(pool)]);
    expect(pool.size).toBe(3);
    expect(server.connections).toBe(3);
  });

  it("forgets a connection that the server closes, or that never came about", async () => {
    const server = await play(answer(200, {}, { connection: "close" }));
    const pool = poolTo(server.url);
    await get(pool);
    await eventually(() => pool.size).toBe(0);
    expect(await get(pool)).toBe(200);

    const nowhere = poolTo("http://127.0.0.1:9");
    await expect(get(nowhere)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await eventually(() => nowhere.size).toBe(0);
  });

  it("holds no place for requests that undici refuses, and keeps the connection that one was given", async () => {
    const server = await play(answer(200));
    const pool = poolTo(server.url);
    const refused = () => expect(get(pool, { expect: "x" })).rejects.toThrow("expect");
    for (let count = 0; count < 3; count++) await refused();
    expect(pool.size).toBe(0);
    await get(pool);
    await new Promise(setImmediate);
    for (let count = 0; count < 3; count++) await refused();
    await get(pool);
    expect({ size: pool.size, connections: server.connections }).toEqual({ size: 1, connections: 1 });
  });

  it("shares a connection of HTTP/2, and replaces one that breaks", async () => {
    const server = await startServer({ script: [answer(200)], tls: {}, http2: true });
    const pool = poolTo(server.url, { allowH2: true, pipelining: 100, connect: { ca: server.ca } });
    await get(pool);
    await server.breakConnections();
    await eventually(() => pool.size).toBe(0);
    await get(pool);
    expect(await Promise.all([get(pool), get(pool), get(pool)])).toEqual([200, 200, 200]);
    expect(pool.size).toBe(1);
  });

  it("lets what is under way finish when it is closed", async () => {
    const server = await play(answer(200));
    const pool = poolTo(server.url);
    const answered = get(pool);
    await pool.close();
    expect(await answered).toBe(200);
  });
});
