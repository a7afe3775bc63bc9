import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Consumer } from "../consumer.js";
import { REPOSITORY, tarballsFor } from "../public-packages.js";
import { type CommandResult, run } from "../run.js";
import { BackgroundProgram } from "./background-program.js";
import { BUNDLERS } from "./bundlers.js";
import { MAIN, NEXT_APP, PROGRAM } from "./programs.js";

const LOCAL_SERVER = join(REPOSITORY, "packages", "local", "bin", "tinkex-local.js");

let server: BackgroundProgram;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  const started = await BackgroundProgram.start([LOCAL_SERVER, "--runtime", "wasm"], {
    cwd: REPOSITORY,
    env: {},
    ready: /serving the Tinker API at (http:\/\/[\d.:]+)/,
  });
  server = started.program;
  env = { TINKER_BASE_URL: started.found, TINKER_API_KEY: "tml-key" };
});
afterAll(() => server.stop());

/** Expects what a step on the built-in model gives: a loss of four tokens, and some sampled ones. */
function expectTrained(result: unknown): void {
  expect(result).toEqual({ loss: expect.closeTo(77, 0), sampled: expect.any(Number), encoded: 3 });
}

describe("a program bundled for Node with all that it imports", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());
  beforeAll(async () => {
    consumer.write("program.js", PROGRAM);
    consumer.write("main.js", MAIN);
    const installed = await consumer.install("tinkex", {
      alongside: BUNDLERS.flatMap(({ packages }) => packages),
    });
    expect(installed.exitCode, installed.output).toBe(0);
  });

  it.each(BUNDLERS)("trains and samples when $name has made it", async ({ files, build, output }) => {
    for (const [name, text] of Object.entries(files)) consumer.write(name, text);
    const built = await npx(consumer.folder, build);
    expect(built.exitCode, built.output).toBe(0);
    // Away from node_modules, so that nothing can be imported that is not in the bundle.
    const alone = new Consumer();
    try {
      const ran = await run(process.execPath, [copyOut(consumer.folder, output, alone.folder)], {
        cwd: alone.folder,
        env,
      });
      expect(ran.exitCode, ran.output).toBe(0);
      expectTrained(JSON.parse(ran.output.trim().split("\n").at(-1) ?? ""));
    } finally {
      alone.dispose();
    }
  });
});

describe("a Next.js app", () => {
  const consumer = new Consumer();
  const next = join(consumer.folder, "node_modules", "next", "dist", "bin", "next");
  const quiet = { NEXT_TELEMETRY_DISABLED: "1" };
  let running: BackgroundProgram | undefined;
  afterAll(async () => {
    await running?.stop();
    consumer.dispose();
  });
  beforeAll(async () => {
    consumer.write("program.js", PROGRAM);
    for (const [name, text] of Object.entries(NEXT_APP)) {
      mkdirSync(dirname(join(consumer.folder, name)), { recursive: true });
      consumer.write(name, text);
    }
    const installed = await consumer.install("tinkex", {
      alongside: [...tarballsFor("@tinkex/local"), "next@16", "react@19", "react-dom@19"],
      env: { ONNXRUNTIME_NODE_INSTALL: "skip" },
    });
    expect(installed.exitCode, installed.output).toBe(0);
  });

  async function serve(command: "start" | "dev"): Promise<string> {
    await running?.stop();
    const started = await BackgroundProgram.start([next, command, "-H", "127.0.0.1", "-p", "0"], {
      cwd: consumer.folder,
      env: { ...env, ...quiet },
      ready: /Local:\s+(http:\/\/[\d.:]+)[\s\S]*Ready/,
    });
    running = started.program;
    return started.found;
  }

  it("is built, and its route handlers train and start a local server", async () => {
    const built = await run(process.execPath, [next, "build"], { cwd: consumer.folder, env: quiet });
    expect(built.exitCode, built.output).toBe(0);
    const url = await serve("start");
    expectTrained(await (await fetch(`${url}/api/train`)).json());
    expect(await (await fetch(`${url}/api/local`)).json()).toEqual({
      models: ["tinkex/pocket-1", "tinkex/pocket-2"],
    });
  });

  it("does the same in development", async () => {
    rmSync(join(consumer.folder, ".next"), { recursive: true, force: true });
    const url = await serve("dev");
    expectTrained(await (await fetch(`${url}/api/train`)).json());
    expect(await (await fetch(`${url}/api/local`)).json()).toEqual({
      models: ["tinkex/pocket-1", "tinkex/pocket-2"],
    });
  });
});

function npx(folder: string, args: readonly string[]): Promise<CommandResult> {
  return run("npx", ["--no-install", ...args], { cwd: folder });
}

/** Copies a bundle into an empty project; returns its path there. */
function copyOut(folder: string, output: string, project: string): string {
  cpSync(dirname(join(folder, output)), join(project, "bundle"), { recursive: true });
  return join(project, "bundle", "main.mjs");
}
