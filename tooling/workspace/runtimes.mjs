// `pnpm test:runtimes`: the packed client in Bun, Deno and Cloudflare's workerd, against a local server.
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

await prepare();
process.exitCode = await workspaceProgram("vitest", [
  "run",
  "--config",
  "tooling/packaging/runtimes.vitest.config.ts",
]);
