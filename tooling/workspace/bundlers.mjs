// `pnpm test:bundlers`: programs that four bundlers and Next.js make of the packed packages, run against a local server.
import { workspaceProgram } from "./pnpm.mjs";
import { prepare } from "./prepare.mjs";

await prepare();
process.exitCode = await workspaceProgram("vitest", [
  "run",
  "--config",
  "tooling/packaging/bundlers.vitest.config.ts",
]);
