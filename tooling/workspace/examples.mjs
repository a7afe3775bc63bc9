// `pnpm examples`: the programs that train by recipes, with all of their steps, for the seeds 1 to `--seeds`, two programs at a time.
import { parseArgs } from "node:util";
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

const { values } = parseArgs({ options: { seeds: { type: "string", default: "1" } } });

await prepare();
process.exitCode = await workspaceProgram("vitest", ["run", "--project", "examples", "recipe-programs"], {
  env: { TINKEX_EXAMPLE_SEEDS: values.seeds },
});
