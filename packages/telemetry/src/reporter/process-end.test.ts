import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TelemetryEvent, TelemetrySendRequest } from "@tinkex/types";
import { CANARY_PROMPT, findCanaries } from "@tinkex-tooling/canary";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { build } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { StubService } from "../../../client/src/testing/stub-service.js";

/** The end of a program. */
interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let stub: StubService;
/** Folder of the programs, and of the one file that they import. */
const folder = temporaryDirectory();

beforeAll(async () => {
  stub = await StubService.start();
  // From the sources, once for all programs: each starts in a fraction of the time that compiling takes.
  await build({
    stdin: {
      contents: `export { ServiceClient } from "@tinkex/client"; export { ServiceReporter } from "./service-reporter.ts";`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    outfile: join(folder, "parts.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@tinkex/source"],
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
    logLevel: "silent",
  });
});
beforeEach(() => {
  stub.requests.length = 0;
  stub.on("telemetry", () => ({ body: { status: "accepted" } }));
});
afterAll(() => stub.close());

/** Runs a program with a client that reports, in a process of its own. */
async function program(text: string, url = stub.url): Promise<ProgramEnd> {
  const file = join(folder, "program.mjs");
  await writeFile(
    file,
    `
    import { ServiceClient, ServiceReporter } from "./parts.mjs";
    const open = (baseUrl, apiKey) =>
      new ServiceClient({ baseUrl, apiKey, env: {}, telemetry: new ServiceReporter(), retry: { firstDelayMs: 1 } });
    const service = open(${JSON.stringify(url)}, "tml-one");
    ${text}
  `,
  );
  const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

function arrived(from = stub): TelemetryEvent[] {
  return from.seen("telemetry").flatMap(({ json }) => [...(json as unknown as TelemetrySendRequest).events]);
}

const kinds = (from = stub): string[] => arrived(from).map(({ event }) => event);

describe("a program that reports", () => {
  it("telemetry 15: sends what it has when it ends by itself, and ends as soon", async () => {
    const end = await program(`
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      await training.optimStep();
      console.log("over");
    `);
    expect(end).toMatchObject({ code: 0, stdout: "over\n", stderr: "" });
    expect(kinds()).toEqual(["SESSION_START", "SESSION_END"]);
  });

  it("telemetry 7, 14: is not kept alive where nobody answers its telemetry", async () => {
    stub.on("telemetry", () => new Promise(() => {}));
    const end = await program(`
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      await training.optimStep();
      console.log("over");
    `);
    expect(end).toMatchObject({ code: 0, stdout: "over\n", stderr: "" });
    expect(stub.seen("telemetry")).toHaveLength(1);
  });

  it("telemetry 7, 14: ends while a request of telemetry is under way, which nobody answers", async () => {
    let hold = (): void => {};
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    stub.on("telemetry", () => {
      hold();
      return new Promise(() => {});
    });
    stub.script("optim_step", { status: 422, body: { detail: "no" } });
    stub.on("training_runs/first", async () => {
      await held;
      return { status: 404, body: { detail: "no" } };
    });
    const end = await program(`
      // No limit of a try is to end the request.
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (run, ms, ...given) => setTimeout(run, ms >= 5_000 ? 2 ** 31 - 1 : ms, ...given);
      const training = await service.createLoraTrainingClient({ base_model: "b" });
      await training.optimStep().catch(() => {});
      await service.rest.getTrainingRun("first").catch(() => {});
      process.once("beforeExit", () => console.log("nothing left to do"));
    `);
    expect(end).toMatchObject({ code: 0, stdout: "nothing left to do\n", stderr: "" });
    expect(stub.seen("telemetry")).toHaveLength(1);
  });

  it("telemetry 15: ends where it calls process.exit, which it neither delays nor fails", async () => {
    const end = await program(`
      await service.connect();
      process.exit(7);
    `);
    expect(end).toMatchObject({ code: 7, stderr: "" });
    expect(kinds()).toEqual([]);
  });

  it.each([
    [
      "an error that nobody catches",
      `setTimeout(() => { throw new TypeError("${CANARY_PROMPT}"); });`,
      "TypeError",
    ],
    ["a promise that nobody catches", `Promise.reject(new RangeError("${CANARY_PROMPT}"));`, "RangeError"],
  ])("tells of %s before it dies of it as ever, without its words", async (_, fault, type) => {
    const end = await program(`
      await service.connect();
      ${fault}
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    `);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain(`${type}: `);
    expect(end.stderr).toContain("program.mjs");
    expect(kinds()).toEqual(["SESSION_START", "UNHANDLED_EXCEPTION", "SESSION_END"]);
    expect(arrived()[1]).toMatchObject({ error_type: type, error_message: "", severity: "CRITICAL" });
    expect(findCanaries(JSON.stringify(arrived()))).toEqual([]);
    expect(stub.seen("telemetry")[0]?.headers["x-api-key"]).toBe("tml-one");
  });

  it("telemetry 11: dies as ever of a captured failure that nobody awaits", async () => {
    const end = await program(`
      new ServiceReporter().capture(async () => { throw new RangeError("x"); });
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    `);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain("RangeError: x");
  });

  it("dies of an error within its limit where nobody answers its telemetry", async () => {
    stub.on("telemetry", () => new Promise(() => {}));
    const end = await program(`
      await service.connect();
      setTimeout(() => { throw new TypeError("x"); });
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    `);
    expect(end.code).toBe(1);
    expect(stub.seen("telemetry")).toHaveLength(1);
  });

  it("goes on where somebody handles its errors", async () => {
    const end = await program(`
      process.on("uncaughtException", () => {});
      await service.connect();
      setTimeout(() => { throw new TypeError("x"); });
      await new Promise((resolve) => setTimeout(resolve, 200));
      await service.close();
      console.log("closed");
    `);
    expect(end).toMatchObject({ code: 0, stdout: "closed\n", stderr: "" });
    expect(kinds()).toEqual(["SESSION_START", "UNHANDLED_EXCEPTION", "SESSION_END"]);
  });

  it("telemetry 16: has another id of its process than a thread or a process of its own", async () => {
    await program(`
      import { Worker } from "node:worker_threads";
      await service.connect();
      await service.close();
      const worker = new Worker(
        \`import("\${new URL("./parts.mjs", import.meta.url)}").then(async ({ ServiceClient, ServiceReporter }) => {
          const service = new ServiceClient({ baseUrl: ${JSON.stringify(stub.url)}, env: {}, telemetry: new ServiceReporter() });
          await service.connect();
          await service.close();
        });\`,
        { eval: true },
      );
      await new Promise((resolve) => worker.on("exit", resolve));
    `);
    await program("await service.connect(); await service.close();");
    const ids = stub.seen("telemetry").map(({ json }) => json?.process_uuid);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(3);
  });
});

describe("a program with two service clients, two servers and two keys", () => {
  it.each([
    ["an error that nobody catches", `setTimeout(() => { throw new TypeError("x"); });`, 1],
    ["its end", `await service.close(); await other.close(); process.exitCode = 0;`, 0],
  ])("sends neither key nor failures to the other's server, up to %s", async (_, ending, code) => {
    const second = await StubService.start();
    second.on("telemetry", () => ({ body: { status: "accepted" } }));
    second.on("optim_step", () => ({ status: 422, body: { detail: "no" } }));
    const end = await program(`
      const other = open(${JSON.stringify(second.url)}, "tml-two");
      for (const [each, name] of [[service, "first"], [other, "second"]]) {
        const training = await each.createLoraTrainingClient({ base_model: name });
        await training.optimStep({}, { headers: { "x-mark": name } }).catch(() => {});
      }
      await service.rest.getTrainingRun("first").catch(() => {});
      await other.rest.getTrainingRun("second").catch(() => {});
      ${ending}
      if (${code} === 1) await new Promise((resolve) => setTimeout(resolve, 600_000));
    `);
    await second.close();
    expect(end.code).toBe(code);
    for (const [mine, theirs, key] of [
      [stub, second, "tml-one"],
      [second, stub, "tml-two"],
    ] as const) {
      expect(kinds(mine)).toContain("SESSION_START");
      expect(kinds(mine)).toContain("SESSION_END");
      // Nobody can tell whose error it was.
      expect(kinds(mine)).not.toContain("UNHANDLED_EXCEPTION");
      expect(mine.seen("telemetry").every(({ headers }) => headers["x-api-key"] === key)).toBe(true);
      const text = JSON.stringify(theirs.requests.map(({ headers, body }) => [headers, body.toString()]));
      expect(text).not.toContain(key);
    }
    const failures = (from: StubService) =>
      arrived(from).filter(({ event }) => event === "GENERIC_EVENT").length;
    expect(failures(second)).toBeGreaterThan(failures(stub));
  });
});
