import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, describe, expect, it } from "vitest";
import { BUNDLED_DATA } from "../src/quickstart/options.js";
import { type AuditedRun, Auditor } from "./traces/audited-process.js";

const auditor = new Auditor();
afterAll(() => auditor.dispose());
if (!auditor.seesConnections)
  console.log("attempts to connect are not audited here: that takes Linux and a C compiler");

/** Two of the held-out words, in no folder that is audited: answers to all of them take longer than the step. */
const questions = temporaryDirectory();

const repository = join(import.meta.dirname, "..", "..", "..");
const quickstart = join(import.meta.dirname, "..", "dist", "quickstart.js");

/** Expects that a run ended well, left files of ours only, and called nobody beyond loopback. */
function expectNoTraces({ exitCode, stderr, files, connections = [] }: AuditedRun, ours: RegExp): void {
  expect(exitCode, stderr).toBe(0);
  expect(files.filter((file) => !ours.test(file))).toEqual([]);
  expect(connections).toEqual([]);
}

// microsoft/onnxruntime#27379: on from 1.29, in the first session of a process, unless the C environment says otherwise.
describe("what stays on the machine and what leaves it", () => {
  it("the audit sees what ONNX Runtime leaves when nothing stops it, and calls beyond loopback", async () => {
    const local = createRequire(join(repository, "packages", "local", "package.json"));
    const program = `
      const ort = require(${JSON.stringify(local.resolve("onnxruntime-node"))});
      const call = fetch("http://192.0.2.1/").catch(() => fetch("http://nobody.example/")).catch(() => {});
      const session = ort.InferenceSession.create(Uint8Array.of(1)).catch(() => {});
      Promise.all([call, session]).then(() => setTimeout(() => {}, 500));`;
    const { files, connections } = await auditor.run(["-e", program]);
    expect(files.join()).toMatch(/onnxruntime/);
    if (auditor.seesConnections)
      expect(connections).toEqual(["connect 192.0.2.1", "getaddrinfo nobody.example"]);
  });

  it("the quickstart leaves its checkpoint", { timeout: 120_000 }, async () => {
    const asked = join(questions, "held-out.jsonl");
    writeFileSync(asked, readFileSync(BUNDLED_DATA.heldOut, "utf8").split("\n").slice(0, 2).join("\n"));
    const args = ["--steps", "1", "--runtime", "native", "--held-out", asked];
    const run = await auditor.run([quickstart, ...args]);
    expect(run.stdout).toContain("native runtime");
    expectNoTraces(run, /^working\/\.tinkex\//);
    expect(run.files.join()).toContain("adapter_model.safetensors");
  });

  it.each(["native", "wasm"])(
    "a server in a worker thread on the %s runtime leaves nothing",
    { timeout: 120_000 },
    async (runtime) => {
      const run = await auditor.run([join(import.meta.dirname, "traces", "serve-in-thread.mjs"), runtime]);
      expect(run.stdout, run.stderr).toMatch(new RegExp(`^${runtime} true [1-3]\\n$`));
      expectNoTraces(run, /^tmp\/tinkex-/);
    },
  );

  it.each([
    ["the runtime in its own process", ["src/runtime/create-runtime.test.ts"]],
    ["a local server", ["src/server/start-local-server.test.ts", "-t", "a seed repeats its samples"]],
  ])("a test run of %s leaves nothing", { timeout: 120_000 }, async (_, tests) => {
    const vitest = join(repository, "node_modules", "vitest", "vitest.mjs");
    const run = await auditor.run([vitest, "run", "--project", "local", ...tests], repository);
    expect(run.stdout).toMatch(/Tests +\d+ passed/);
    expectNoTraces(run, /^$/);
  });
});
