import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BackgroundProgram } from "../bundlers/background-program.js";
import { Consumer } from "../consumer.js";
import { REPOSITORY } from "../public-packages.js";
import { run } from "../run.js";
import { MAIN, PROGRAM } from "./program.js";
import { RUNTIMES } from "./runtimes.js";

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

// oven-sh/bun#39247: Bun has a stand-in for undici, without dispatchers.
describe("the client from packed tarballs", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());
  beforeAll(async () => {
    consumer.write("program.js", PROGRAM);
    consumer.write("main.js", MAIN);
    const alongside = new Set(RUNTIMES.flatMap(({ packages }) => packages));
    const installed = await consumer.install("@tinkex/client", { alongside: [...alongside] });
    expect(installed.exitCode, installed.output).toBe(0);
  });

  it.each(RUNTIMES)(
    "creates, trains, samples and closes in $name",
    async ({ files, setup, build, run: args }) => {
      for (const [name, text] of Object.entries(files)) consumer.write(name, text);
      // Where npm has run it already it may find nothing to do, and say so with an exit code.
      for (const script of setup) await consumer.node(script);
      if (build !== undefined) {
        const built = await run("npx", ["--no-install", ...build], { cwd: consumer.folder });
        expect(built.exitCode, built.output).toBe(0);
      }
      const ran = await run("npx", ["--no-install", ...args], { cwd: consumer.folder, env });
      expect(ran.exitCode, ran.output).toBe(0);
      // npm may have something to say after it.
      const result: unknown = JSON.parse(
        ran.output.split("\n").findLast((line) => line.startsWith("{")) ?? "",
      );
      expect(result).toEqual({ loss: expect.closeTo(77, 0), sampled: expect.any(Number) });
    },
  );
});
