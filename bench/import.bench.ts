// What importing each built package costs a fresh process: milliseconds beyond an empty process and beyond zod alone, and how
// many modules are loaded. `pnpm bench import 31` starts each program 31 times.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const rounds = Math.max(15, Number(process.argv[2] ?? 21));
const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const hook = new URL("../tooling/architecture/record-loaded-modules.mjs", import.meta.url).href;

/** A program that does nothing but import: from within a package, which finds itself and its dependencies by name. */
interface Program {
  readonly name: string;
  readonly code: string;
  readonly cwd: string;
}

const EMPTY: Program = { name: "(nothing)", code: "", cwd: packages };
const importing = (name: string, folder: string): Program => ({
  name,
  code: `await import(${JSON.stringify(name)})`,
  cwd: `${packages}${folder}`,
});
const ZOD = importing("zod", "types");

/** Every address a user may import. */
const entries = readdirSync(packages).flatMap((folder) => {
  const manifest: { name: string; exports: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(`${packages}${folder}/package.json`, "utf8"),
  );
  return Object.keys(manifest.exports)
    .filter((path) => path !== "./package.json")
    .map((path) => importing(manifest.name + path.slice(1), folder));
});

/** How long an import may take: beyond zod's own time for what stands on it, else beyond an empty process. */
const GOALS: Readonly<Record<string, { readonly ms: number; readonly beyond: "zod" | "nothing" }>> = {
  "@tinkex/types": { ms: 25, beyond: "zod" },
  "@tinkex/client": { ms: 40, beyond: "zod" },
  "@tinkex/http": { ms: 30, beyond: "nothing" },
  "@tinkex/renderers": { ms: 40, beyond: "nothing" },
};

/** Without what makes this process read sources: built files are measured. */
const env = { ...process.env, NODE_OPTIONS: "" };

function start({ code, cwd }: Program, nodeArgs: readonly string[] = []) {
  return spawnSync(process.execPath, [...nodeArgs, "--input-type=module", "-e", code], {
    cwd,
    env,
    encoding: "utf8",
  });
}

/** Addresses of the modules that a program loads, Node's own left out; undefined, with a line, where it fails. */
function modulesOf(program: Program): readonly string[] | undefined {
  const { status, stderr } = start(program, ["--import", hook]);
  if (status !== 0) {
    const reason = /^\w*Error.*$/m.exec(stderr)?.[0] ?? `exit code ${status}`;
    console.log(`${program.name}: skipped, it cannot be imported (${reason})`);
    return undefined;
  }
  return stderr.split("\n").filter((line) => line.startsWith("file:"));
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 2] ?? Number.NaN;
}

const modules = new Map<Program, readonly string[]>();
for (const program of [EMPTY, ZOD, ...entries]) {
  const loaded = modulesOf(program);
  if (loaded?.some((url) => url.startsWith("file:") && url.includes("/src/")))
    throw new Error(`${program.name} was loaded from its sources`);
  if (loaded !== undefined) modules.set(program, loaded);
}

const times = new Map<Program, number[]>([...modules.keys()].map((program) => [program, []]));
for (let round = 0; round < rounds; round++) {
  // Each round in the other order, so that all have the same machine.
  for (const [program, list] of round % 2 === 0 ? times : [...times].toReversed()) {
    const begin = performance.now();
    start(program);
    list.push(performance.now() - begin);
  }
}

const ms = (program: Program): number => lowerQuartile(times.get(program) ?? []);
const columns = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(15)).join("");

console.log(
  `${cpus()[0]?.model ?? "unknown CPU"}, Node ${process.version}; lower quartiles of ${rounds} processes each`,
);
console.log(`an empty process takes ${ms(EMPTY).toFixed(1)} ms\n`);
console.log(`${"import".padEnd(32)}${columns(["beyond empty", "beyond zod", "ES modules", "with zod's"])}`);
for (const program of [ZOD, ...entries]) {
  const loaded = modules.get(program);
  if (loaded === undefined) continue;
  const beyondEmpty = ms(program) - ms(EMPTY);
  const beyondZod = ms(program) - ms(ZOD);
  const loadsZod = loaded.some((url) => url.includes("/node_modules/zod/"));
  const own = loaded.filter((url) => !url.includes("/node_modules/zod/")).length;
  const cells = [
    `${beyondEmpty.toFixed(1)} ms`,
    loadsZod ? `${beyondZod.toFixed(1)} ms` : "-",
    `${own}`,
    `${loaded.length}`,
  ];
  const goal = GOALS[program.name];
  const reached = goal !== undefined && (goal.beyond === "zod" ? beyondZod : beyondEmpty) <= goal.ms;
  const verdict =
    goal === undefined ? "" : `  ${reached ? "ok" : "MISS"}: goal ${goal.ms} ms beyond ${goal.beyond}`;
  console.log(`${program.name.padEnd(32)}${columns(cells)}${verdict}`);
}
