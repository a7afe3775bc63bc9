import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { describe, expect, it, vi } from "vitest";
import { parentThread } from "./engine-thread.js";

describe("parentThread", () => {
  it("passes messages on, both ways, and closes the port", async () => {
    const { port1, port2 } = new MessageChannel();
    const received = new Promise((resolve) => port2.once("message", resolve));
    const port = parentThread(port1);
    const heard = new Promise((resolve) => port.on("message", resolve));
    port.postMessage({ kind: "result", id: 1, value: 2 }, []);
    port2.postMessage({ kind: "abort", id: 1 });
    expect(await received).toEqual({ kind: "result", id: 1, value: 2 });
    expect(await heard).toEqual({ kind: "abort", id: 1 });
    const closed = new Promise((resolve) => port2.once("close", () => resolve("closed")));
    port.close();
    expect(await closed).toBe("closed");
  });

  it("ends the thread itself where its port cannot be closed, as on Deno", () => {
    const scope = { close: vi.fn() };
    parentThread({ postMessage: () => {}, on: () => {} }, scope).close();
    expect(scope.close).toHaveBeenCalledOnce();
  });
});

const deno = process.env.TINKEX_DENO;
const entry = fileURLToPath(new URL("../../dist/index.js", import.meta.url));
// Needs `TINKEX_DENO`, the path of Deno, and a built package.
it.skipIf(deno === undefined || !existsSync(entry))(
  "on Deno a server closes in silence",
  { timeout: 60_000 },
  async () => {
    const program = `
      const { startLocalServer } = await import(${JSON.stringify(entry)});
      const server = await startLocalServer({ threads: 1 });
      const health = await (await fetch(server.url + "/api/v1/healthz")).json();
      await server.close();
      console.log(health.status);
    `;
    const { stdout, stderr } = await promisify(execFile)(
      deno ?? "",
      ["eval", "--node-modules-dir=manual", program],
      {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
      },
    );
    expect(stderr).toBe("");
    expect(stdout).toBe("ok\n");
  },
);
