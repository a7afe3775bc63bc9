// `pnpm bench NAME`: runs bench/NAME.bench.ts, on the sources unless it is named below. Further arguments go to the benchmark.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
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
// These measure what users install: on the sources, tsx names every inner function as it is made, which takes a request a tenth
// of its time.
const onBuilt = new Set(["http", "wire"]);
await prepare();
process.exitCode = await workspaceProgram("node", [
  ...(onBuilt.has(name) ? [] : ["--conditions=@tinkex/source"]),
  "--import=tsx",
  file,
  ...rest,
]);
