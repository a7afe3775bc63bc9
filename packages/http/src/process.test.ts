import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { answer, file, on, redirect, stall } from "@tinkex-tooling/hostile-server";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { play } from "./testing/test-transport.js";

const run = promisify(execFile);
const entry = fileURLToPath(new URL("index.ts", import.meta.url));

/** Runs a program in a process of its own; `http` there is this package. */
async function program(
  script: string,
  { args = [], before = "" }: { readonly args?: readonly string[]; readonly before?: string } = {},
): Promise<unknown> {
  const source = `${before}const http = await import(${JSON.stringify(entry)});\n${script}`;
  const bundle = await sourceProgram(source, import.meta.url);
  onTestFinished(() => bundle.remove());
  const { stdout } = await run(process.execPath, [...bundle.nodeArguments, ...args], { timeout: 60_000 });
  return JSON.parse(stdout);
}

describe("the README", () => {
  it("shows a program that runs", async () => {
    const server = await play(answer(200, { supported_models: ["m"] }));
    const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
    const source = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const bundle = await sourceProgram(source, new URL("../README.md", import.meta.url).href);
    onTestFinished(() => bundle.remove());
    const env = { ...process.env, TINKER_BASE_URL: server.url, TINKER_API_KEY: "tml-readme" };
    const cwd = fileURLToPath(new URL("..", import.meta.url));
    const { stdout } = await run(process.execPath, bundle.nodeArguments, { timeout: 60_000, env, cwd });
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
      const transport = http.createTransport({ baseUrl: process.argv[2] });
      const before = loaded();
      await transport.call({ operation: "healthz" });
      console.log(JSON.stringify([before, loaded()]));
      `,
      { args: [server.url] },
    );
    expect(seen).toEqual([false, true]);
  }, 60_000);

  it("transport 98: ends by itself once nobody waits, without close(), and holds nothing after it", async () => {
    const server = await play(answer(200));
    const seen = await program(
      `
      const open = http.createTransport({ baseUrl: process.argv[2] });
      await open.call({ operation: "healthz" });
      const closed = http.createTransport({ baseUrl: process.argv[2] });
      await closed.call({ operation: "healthz" });
      await closed.close();
      await open.close();
      await new Promise((resolve) => setTimeout(resolve, 50));
      const left = process.getActiveResourcesInfo().filter((kind) => /TCP|Timeout/.test(kind));
      const another = http.createTransport({ baseUrl: process.argv[2] });
      await another.call({ operation: "healthz" });
      console.log(JSON.stringify(left));
      `,
      { args: [server.url] },
    );
    expect(seen).toEqual([]);
  }, 60_000);

  it("ends while a call that keeps none alive waits for its answer, and waits for the others", {
    timeout: 60_000,
  }, async () => {
    const server = await play(on({ path: "/api/v1/telemetry" }, stall), answer(200, { ok: 1 }));
    const seen = await program(
      `
        // No limit of a try is to end the call.
        const { setTimeout } = globalThis;
        globalThis.setTimeout = (run, ms, ...given) => setTimeout(run, ms >= 5_000 ? 2 ** 31 - 1 : ms, ...given);
        const transport = http.createTransport({ baseUrl: process.argv[2] });
        const body = new TextEncoder().encode("{}");
        const settled = [];
        const note = (name) => () => settled.push(name);
        const telemetry = transport.call({ operation: "telemetry", body, isBackground: true });
        telemetry.then(note("telemetry"), note("telemetry"));
        transport.call({ operation: "healthz", isBackground: false }).then(note("healthz"));
        process.on("exit", () => console.log(JSON.stringify(settled)));
        `,
      { args: [server.url] },
    );
    expect(seen).toEqual(["healthz"]);
  });
});

/** A loader that gives this text for undici. */
function undiciIs(text: string): string {
  const hooks = `export const resolve = (name, context, next) =>
    name.includes("/undici/") ? { url: ${JSON.stringify(moduleOf(text))}, shortCircuit: true } : next(name, context);`;
  return `await (async () => (await import("node:module")).register(${JSON.stringify(moduleOf(hooks))}))();\n`;
}

function moduleOf(text: string): string {
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

// oven-sh/bun#39247; pnpm test:runtimes runs Bun and Deno themselves.
describe("a runtime without the connections of undici", () => {
  it.each([
    ["that has a stand-in", "export class Client {} export class Pool {}"],
    ["that has nothing", 'throw new Error("no such module");'],
  ])("%s is gone through by its fetch", { timeout: 60_000 }, async (_, undici) => {
    const content = Buffer.from("the file");
    const server = await play(
      on({ path: "/file" }, redirect(302, "/moved")),
      on({ path: "/moved" }, file(content, '"v1"')),
      on({ path: "/healthz" }, stall),
      answer(503),
      answer(200, { ok: 1 }),
    );
    const folder = temporaryDirectory();
    const seen = await program(
      `
      const { readFileSync } = await import("node:fs");
      const [url, target] = process.argv.slice(2);
      const transport = http.createTransport({ baseUrl: url, random: () => 0, logger: http.consoleLogger("error") });
      const { status, attempts } = await transport.call({ operation: "optim_step", body: new TextEncoder().encode("{}") });
      const late = await transport.call({ operation: "healthz", timeoutMs: 100 }).catch(({ code }) => code);
      const bytes = await http.downloadFile({ url: () => url + "/file", target });
      const proxied = http.createTransport({ baseUrl: "http://api.invalid", apiKey: "tml-x", proxy: { httpProxy: url }, logger: http.consoleLogger("error") });
      const refused = await proxied.call({ operation: "healthz" }).catch(({ code, message }) => code + ": " + message);
      await transport.close();
      console.log(JSON.stringify({ status, attempts, late, bytes, text: readFileSync(target, "utf8"), refused }));
      `,
      { args: [server.url, join(folder, "target")], before: undiciIs(undici) },
    );
    expect(seen).toEqual({
      status: 200,
      attempts: 2,
      late: "timed_out",
      bytes: content.byteLength,
      text: "the file",
      refused: expect.stringMatching(
        /^validation_failed: proxy cannot be kept by this runtime's fetch.*option fetch/,
      ),
    });
    expect(server.requests.every(({ method }) => method !== "CONNECT")).toBe(true);
  });
});
