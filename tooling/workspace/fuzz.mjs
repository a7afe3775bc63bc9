// `pnpm test:fuzz`: the long campaign of hostile input, in every file named *.fuzz.test.ts. `--cases 1000`, `--seed 7` and
// `--project local` (may be repeated) change what it does.
import { parseArgs } from "node:util";
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    seed: { type: "string" },
    project: { type: "string", multiple: true },
  },
});
const env = {
  FUZZ_CASES: values.cases ?? process.env.FUZZ_CASES ?? "100000",
  ...(values.seed === undefined ? {} : { FUZZ_SEED: values.seed }),
};
const projects = (values.project ?? []).flatMap((name) => ["--project", name]);

await prepare();
// One file at a time: each measures memory and how long the event loop stands still.
process.exitCode = await workspaceProgram(
  "vitest",
  ["run", "--no-file-parallelism", ...projects, ".fuzz.test.ts"],
  { env },
);
