// `pnpm test:chaos`: the long campaigns of faults, against http and against the client. `--calls 50000` and `--seed 7` change what it does.
import { parseArgs } from "node:util";
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

const { values } = parseArgs({ options: { calls: { type: "string" }, seed: { type: "string" } } });
const env = {
  TINKEX_CHAOS_CALLS: values.calls ?? process.env.TINKEX_CHAOS_CALLS ?? "10000",
  ...(values.seed === undefined ? {} : { TINKEX_CHAOS_SEED: values.seed }),
};

await prepare();
const projects = ["--project", "http", "--project", "client"];
process.exitCode = await workspaceProgram("vitest", ["run", ...projects, "src/chaos.test.ts"], { env });
