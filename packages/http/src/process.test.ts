import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { play } from "./testing/test-transport.js";

const run = promisify(execFile);
const entry = fileURLToPath(new URL("index.ts", import.meta.url));

/** Runs a program in a process of its own; `http` there is this package. */
async function program(script: string, ...args: string[]): Promise<unknown> {
  const source = `const http = await import(${JSON.stringify(entry)});\n${script}`;
  const flags = [
    "--conditions=@tinkex/source",
    "--import=tsx",
    "--input-type=module",
    "--eval",
    source,
    ...args,
  ];
  const { stdout } = await run(process.execPath, flags, { timeout: 60_000 });
  return JSON.parse(stdout);
}

describe("the README", () => {
  it("shows a program that runs", async () => {
    const server = await play(answer(200, { supported_models: ["m"] }));
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const source = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const flags = ["--conditions=@tinkex/source", "--import=tsx", "--input-type=module", "--eval", source];
    const env = { ...process.env, TINKER_BASE_URL: server.url, TINKER_API_KEY: "tml-readme" };
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const { stdout } = await run(process.execPath, flags, { timeout: 60_000, env, cwd });
    expect(stdout).toBe("[ 'm' ] after 1 tries\n");
    expect(server.header("x-api-key")).toEqual(["tml-readme"]);
  }, 60_000);
});

describe("a process of its own", () => {
  it("loads undici with the first request, not before", async () => {
    const server = await play(answer(200));
    const seen = await program(
      `
      const { createRequire } = await import("node:module");
      const { cache } = createRequire(${JSON.stringify(entry)});
      const loaded = () => Object.keys(cache).some((path) => path.includes("/undici/"));
      const transport = http.createTransport({ baseUrl: process.argv[1] });
      const before = loaded();
      await transport.call({ operation: "healthz" });
      console.log(JSON.stringify([before, loaded()]));
      `,
      server.url,
    );
    expect(seen).toEqual([false, true]);
  }, 60_000);

  it("transport 98: ends by itself once nobody waits, without close(), and holds nothing after it", async () => {
    const server = await play(answer(200));
    const seen = await program(
      `
      const open = http.createTransport({ baseUrl: process.argv[1] });
      await open.call({ operation: "healthz" });
      const closed = http.createTransport({ baseUrl: process.argv[1] });
      await closed.call({ operation: "healthz" });
      await closed.close();
      await open.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const left = process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind));
      const another = http.createTransport({ baseUrl: process.argv[1] });
      await another.call({ operation: "healthz" });
      console.log(JSON.stringify(left));
      `,
      server.url,
    );
    expect(seen).toEqual([]);
  }, 60_000);
});
