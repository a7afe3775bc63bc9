// `pnpm test:chaos`: the long campaign of faults against http. `--calls 50000` and `--seed 7` change what it does.
import { parseArgs } from "node:util";
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

const { values } = parseArgs({ options: { calls: { type: "string" }, seed: { type: "string" } } });
const env = {
  TINKEX_CHAOS_CALLS: values.calls ?? process.env.TINKEX_CHAOS_CALLS ?? "10000",
  ...(values.seed === undefined ? {} : { TINKEX_CHAOS_SEED: values.seed }),
};

await prepare();
process.exitCode = await workspaceProgram("vitest", ["run", "--project", "http", "src/chaos.test.ts"], {
  env,
});
