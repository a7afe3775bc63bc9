import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRunHere } from "../docs/snippets.js";
import { Consumer } from "../packaging/consumer.js";
import { publicPackages, REPOSITORY } from "../packaging/public-packages.js";
import { type LocalRegistry, startLocalRegistry } from "./local-registry.js";
import { type ServerProcess, startServerProcess } from "./local-server.js";
import { publishAll } from "./publish-all.js";
import { README_PAGES } from "./readme-pages.js";
import { upstreamRegistry } from "./upstream-registry.js";

const LOCAL_SERVER = "@tinkex/local";

const FRONT_DOOR = README_PAGES[0]?.installs[0] ?? [];

/** All that the pages install, and the server that their programs talk to. */
const EVERYTHING = [...new Set([...README_PAGES.flatMap(({ installs }) => installs.flat()), LOCAL_SERVER])];

const PROGRAMS = README_PAGES.flatMap(({ programs }) => programs).map((program) => ({
  ...program,
  file: program.name.replace(/\W/g, "-"),
}));

const SERVE = `import { startLocalServer } from "${LOCAL_SERVER}";
console.log((await startLocalServer()).url);`;

const TELEMETRY = `import { ServiceClient } from "tinkex";
import { startLocalServer } from "${LOCAL_SERVER}";
const server = await startLocalServer();
const service = new ServiceClient({ baseUrl: server.url, apiKey: "tml-rehearsal" });
await service.connect();
await service.close();
const events = server.telemetry().flatMap((batch) => batch.events.map(({ event }) => event));
console.log(JSON.stringify(events));
await server.close();`;

describe("a project that installs what was published", () => {
  const consumer = new Consumer();
  let registry: LocalRegistry;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    registry = await startLocalRegistry(
      ["@tinkex/*", ...publicPackages.map(({ name }) => name)],
      await upstreamRegistry(),
      join(REPOSITORY, ".cache", "release", "registry"),
    );
    await publishAll(registry);
  });
  afterAll(async () => {
    await server?.close();
    await registry?.close();
    consumer.dispose();
  });

  // The native library's own download, of GPU libraries, is left out as the README advises. Nothing may ask for a newer Node than
  // this one, or `npm install --engine-strict` fails for users too.
  const install = (names: readonly string[]) =>
    consumer.add(names, {
      ...registry.npmEnv,
      ONNXRUNTIME_NODE_INSTALL: "skip",
      npm_config_engine_strict: "true",
    });

  it(`has in an empty folder all that it can import after: npm install ${FRONT_DOOR.join(" ")}`, async () => {
    expect(FRONT_DOOR.length).toBeGreaterThan(0);
    const { exitCode, output } = await install(FRONT_DOOR);
    expect(exitCode, output).toBe(0);
    const imports = FRONT_DOOR.map((name) => `Object.keys(await import(${JSON.stringify(name)})).length`);
    consumer.write("import.js", `console.log(JSON.stringify([${imports.join(", ")}]));`);
    const imported = await consumer.node("import.js");
    expect(imported.exitCode, imported.output).toBe(0);
    for (const count of JSON.parse(imported.output)) expect(count).toBeGreaterThan(0);
  });

  it("has the versions that were published, and none of another registry", async () => {
    const { exitCode, output } = await install(EVERYTHING);
    expect(exitCode, output).toBe(0);
    for (const { name, folder } of publicPackages) {
      const installed = join(consumer.folder, "node_modules", name, "package.json");
      if (existsSync(installed))
        expect(versionIn(installed), name).toBe(versionIn(join(folder, "package.json")));
    }
  });

  it("compiles every program of the README", async () => {
    for (const { file, code } of PROGRAMS) consumer.write(`${file}.ts`, code);
    const { exitCode, output } = await consumer.compile({
      target: "ES2022",
      lib: ["ES2023", "DOM", "ESNext.Disposable"],
      types: [],
      // The declarations of tfjs itself do not compile on their own.
      skipLibCheck: true,
      noEmit: false,
      noEmitOnError: true,
    });
    expect(exitCode, output).toBe(0);
  });

  it("serves the API", async () => {
    const command = join(consumer.folder, "node_modules", ".bin", "tinkex");
    consumer.write("serve.js", SERVE);
    server = existsSync(command)
      ? await startServerProcess(command, ["serve", "--port", "0"], consumer.folder)
      : await startServerProcess(process.execPath, ["serve.js"], consumer.folder);
    const answer = await fetch(`${server.url}/api/v1/healthz`);
    expect(await answer.json()).toEqual({ status: "ok" });
  });

  it("finds the package that reports to the service, which is off where the environment says so", async () => {
    consumer.write("telemetry.js", TELEMETRY);
    const reported = async (env: Readonly<Record<string, string>>): Promise<unknown> => {
      const { exitCode, output } = await consumer.node("telemetry.js", env);
      expect(exitCode, output).toBe(0);
      return JSON.parse(output.trim().split("\n").at(-1) ?? "");
    };
    expect(await reported({ TINKER_TELEMETRY: "1", DO_NOT_TRACK: "" })).toEqual([
      "SESSION_START",
      "SESSION_END",
    ]);
    expect(await reported({ DO_NOT_TRACK: "1" })).toEqual([]);
  });

  it.each(PROGRAMS.filter(isRunHere))("runs $name", async ({ file }) => {
    const { exitCode, output } = await consumer.node(`${file}.js`, { TINKER_BASE_URL: server?.url ?? "" });
    expect(exitCode, output).toBe(0);
    expect(output.trim(), "a program shows what it does by printing").not.toBe("");
  });
});

function versionIn(manifest: string): string {
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
