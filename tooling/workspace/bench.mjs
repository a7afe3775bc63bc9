// `pnpm bench NAME`: runs bench/NAME.bench.ts, on the sources unless it is named below. Further arguments go to the benchmark.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";
import { ROOT } from "./versions.mjs";

const [name, ...rest] = process.argv.slice(2);
const file = join(ROOT, "bench", `${name}.bench.ts`);
if (name === undefined || !existsSync(file)) {
  const names = readdirSync(join(ROOT, "bench")).flatMap(
    (entry) => /^(.*)\.bench\.ts$/.exec(entry)?.[1] ?? [],
  );
  console.error(`usage: pnpm bench NAME, where NAME is one of: ${names.join(", ")}`);
  process.exit(1);
}
// These measure what users install, and nothing but it: tsx, which runs the others, names every inner function as it is made,
// in built packages too, which takes a request a tenth of its time.
const onBuilt = new Set([
  "client",
  "custom-loss",
  "download",
  "http",
  "recipes",
  "scaling",
  "telemetry",
  "tensor",
  "wire",
]);
await prepare();
process.exitCode = onBuilt.has(name) ? await runPlain() : await runOnSources();

function runOnSources() {
  return workspaceProgram("node", ["--conditions=@tinkex/source", "--import=tsx", file, ...rest]);
}

/** Beside the benchmark, whose other files it finds by its own address. */
async function runPlain() {
  const plain = join(ROOT, "bench", `.${name}.bench.${process.pid}.mjs`);
  const { outputText } = ts.transpileModule(readFileSync(file, "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  writeFileSync(plain, outputText);
  try {
    return await workspaceProgram("node", [plain, ...rest]);
  } finally {
    rmSync(plain);
  }
}
