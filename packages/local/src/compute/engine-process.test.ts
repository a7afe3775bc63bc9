import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Engine } from "../engine/engine.js";
import { WITHOUT_TELEMETRY } from "../runtime/disable-telemetry.js";
import { computed } from "../testing/computed.js";
import { parentProcess, startEngineProcess } from "./engine-process.js";
import { createInProcessEngine } from "./in-process-engine.js";
import { WorkerRpcClient } from "./worker-rpc-client.js";

// The process runs the built package, which `npm test` makes first.
const entry = fileURLToPath(new URL("../../dist/compute/engine-worker.js", import.meta.url));
const directory = fileURLToPath(new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url));
const options = { model: { name: "tinkex/tiny", directory }, runtime: "native", threads: 1 } as const;
const env = { ...process.env, ...WITHOUT_TELEMETRY };

const tokens = Int32Array.of(1, 282, 270, 206);
const datum = {
  tokens,
  targets: Int32Array.of(282, 270, 206, 2),
  targetsPerToken: 1,
  targetsAreMatrix: false,
};
const shape = { rank: 4, trainAttention: true, trainMlp: true, trainUnembedding: true };
const pass = {
  adapterId: "a",
  data: [{ ...datum, lossInputs: { weights: Float32Array.of(0, 1, 0.5, 1) } }],
  loss: "cross_entropy",
  lossConfig: {},
  forwardOnly: false,
} as const;

async function train(engine: Pick<Engine, "createAdapter" | "pass">) {
  await engine.createAdapter("a", shape, 3);
  return engine.pass(pass);
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

describe("an engine in a process of its own", () => {
  it("answers just as one in this thread, typed arrays and errors included, and ends when it is closed", async () => {
    const line = new WorkerRpcClient(startEngineProcess(entry, options, env));
    expect(await line.call("describe", [])).toMatchObject({
      runtime: { name: "native", reason: "asked for" },
    });
    const local = await createInProcessEngine(options);
    const remote = {
      createAdapter: (...args: Parameters<Engine["createAdapter"]>) => line.call("createAdapter", args),
      pass: (...args: Parameters<Engine["pass"]>) => line.call("pass", args),
    };
    expect(computed(await train(remote))).toEqual(computed(await train(local)));
    await expect(line.call("pass", [{ ...pass, adapterId: "b" }])).rejects.toMatchObject({
      code: "validation_failed",
    });
    await local.close();
    await line.close();
    await expect(line.call("describe", [])).rejects.toThrow(/closed/);
  });

  it("refuses a directory that is no model", async () => {
    const model = { name: "x", directory: "/no/such/model" };
    const line = new WorkerRpcClient(startEngineProcess(entry, { model }, env));
    await expect(line.call("describe", [])).rejects.toThrow(/\/no\/such\/model is not a model directory/);
    await line.close();
  });

  it("ends when the process that started it has ended without a word", async () => {
    const program = `
      const child = require("node:child_process").fork(process.argv[1], [process.argv[2]], { serialization: "advanced", stdio: ["ignore", "ignore", "inherit", "ipc"] });
      child.once("message", () => { process.stdout.write(String(child.pid)); process.kill(process.pid, "SIGKILL"); });
      child.send({ kind: "call", id: 1, call: { method: "describe", args: [] } });`;
    const child = Number(
      execFileSync(
        "/bin/sh",
        ["-c", '"$0" -e "$1" "$2" "$3" || true', process.execPath, program, entry, JSON.stringify(options)],
        { env },
      ).toString(),
    );
    expect(child).toBeGreaterThan(1);
    await expect.poll(() => isAlive(child), { timeout: 20_000 }).toBe(false);
  });

  it("is not what this process is", () => {
    expect(() => parentProcess()).toThrow(
      "engine-worker runs only as the thread or the process of an engine",
    );
  });
});
