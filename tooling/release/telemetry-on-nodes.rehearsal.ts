import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { snippetsOf } from "../docs/snippets.js";
import { Consumer } from "../packaging/consumer.js";
import { tarballsFor } from "../packaging/public-packages.js";
import { type CommandResult, run } from "../packaging/run.js";

/**
 * Major versions of Node that the README's programs run on, e.g. `20,22`; one that is not this one is downloaded (package `node` of the
 * registry, 40 MB), so that this runs by hand alone, once all packages are built:
 * `TINKEX_TELEMETRY_NODES=20,22 node tooling/workspace/run.mjs exec vitest run --config tooling/release/vitest.config.ts telemetry`.
 */
const NODES = (process.env.TINKEX_TELEMETRY_NODES ?? "").split(",").filter((major) => major !== "");

const PROGRAMS = snippetsOf("packages/telemetry/README.md").map(({ name, code }, index) => ({
  name,
  code,
  file: `program-${index}`,
}));
const [REPORTING, TRACING] = PROGRAMS;

describe.skipIf(NODES.length === 0)("a project that installs tinkex, telemetry and the local server", () => {
  let consumer: Consumer;
  const made: Consumer[] = [];
  afterAll(() => {
    for (const each of made) each.dispose();
  });
  beforeAll(async () => {
    consumer = new Consumer();
    made.push(consumer);
    const { exitCode, output } = await consumer.install("tinkex", {
      alongside: [
        ...tarballsFor("@tinkex/telemetry"),
        ...tarballsFor("@tinkex/local"),
        "@opentelemetry/api@1",
        "@types/node@20",
      ],
      env: { ONNXRUNTIME_NODE_INSTALL: "skip" },
    });
    expect(exitCode, output).toBe(0);
  });

  /** Gives the program of a version of Node, from the registry where it is not this one. */
  async function nodeOf(major: string): Promise<string> {
    if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
    const other = new Consumer();
    made.push(other);
    const { exitCode, output } = await other.add([`node@${major}`]);
    expect(exitCode, output).toBe(0);
    return join(other.folder, "node_modules", "node", "bin", "node");
  }

  const start = (node: string, file: string): Promise<CommandResult> =>
    run(node, [`${file}.js`], {
      cwd: consumer.folder,
      env: { NODE_PATH: "", TINKER_TELEMETRY: "1", DO_NOT_TRACK: "" },
    });

  it("compiles the programs of the README", async () => {
    for (const { file, code } of PROGRAMS) consumer.write(`${file}.ts`, `${code}\nexport {};\n`);
    const { exitCode, output } = await consumer.compile({
      target: "ES2022",
      lib: ["ES2023", "DOM", "ESNext.Disposable"],
      types: ["node"],
      // The declarations of tfjs itself do not compile on their own.
      skipLibCheck: true,
      noEmit: false,
      noEmitOnError: true,
    });
    expect(exitCode, output).toBe(0);
  });

  it.each(NODES)("runs them on Node %s, and the server has what was reported", async (major) => {
    const node = await nodeOf(major);
    const version = await run(node, ["--version"], { cwd: consumer.folder });
    expect(version.output).toMatch(new RegExp(`^v${major}\\.`));
    for (const { file, name } of PROGRAMS) {
      const { exitCode, output } = await start(node, file);
      expect(exitCode, `${name} on ${version.output}${output}`).toBe(0);
      if (file === REPORTING?.file) expect(output).toMatch(/queued: 0, sent: 3, dropped: 0 } 1/);
    }
  });

  it("says how to install the API of OpenTelemetry where it is missing", async () => {
    rmSync(join(consumer.folder, "node_modules", "@opentelemetry"), { recursive: true });
    const { exitCode, output } = await start(process.execPath, TRACING?.file ?? "");
    expect(exitCode).toBe(1);
    expect(output).toContain("is not installed. Install it: npm install @opentelemetry/api");
  });
});
