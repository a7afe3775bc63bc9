// `pnpm test:servers`: the client against servers that others wrote. Further arguments go to vitest; see tooling/conformance/README.md.
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

const args = process.argv.slice(2);
const isLong = args.includes("--long");
if (process.env.TINKEX_PYTHON312 === undefined) {
  console.log(
    "skipped: TINKEX_PYTHON312 names no Python 3.12 for the servers: see tooling/conformance/README.md",
  );
} else {
  await prepare();
  process.exitCode = await workspaceProgram(
    "vitest",
    [
      "run",
      "--config",
      "tooling/conformance/servers.vitest.config.ts",
      ...args.filter((arg) => arg !== "--long"),
    ],
    { env: isLong ? { TINKEX_SERVERS_LONG: "1" } : {} },
  );
}
