// What runs on every change: `npm test`, then lint, types, unused code and packaging. The last line sums it all up.

import { pnpm, workspaceProgram } from "./pnpm.mjs";
import { runCommand } from "./run-command.mjs";
import { countTests, summaryLine } from "./test-results.mjs";
import { ROOT } from "./versions.mjs";
import { runVitest } from "./vitest.mjs";

/** Each check counts as one test that passed or failed; a check that is a test run counts its tests. */
const CHECKS = [
  {
    title: "npm test",
    run: async () => {
      const code = await runCommand("npm", ["test"], { cwd: ROOT });
      return countTests(`${ROOT}.cache/test-results.json`, code);
    },
  },
  { title: "biome", run: async () => asCount(await pnpm(["lint"])) },
  { title: "tsc -b", run: async () => asCount(await pnpm(["typecheck"])) },
  { title: "knip", run: async () => asCount(await pnpm(["knip"])) },
  { title: "turbo: a second build is all cache hits", run: async () => asCount(await secondBuild()) },
  {
    title: "packaging",
    run: async () => runVitest("packaging-results", ["--config", "tooling/packaging/vitest.config.ts"]),
  },
];

/** @param {number} exitCode */
function asCount(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

async function secondBuild() {
  return workspaceProgram("node", ["tooling/workspace/second-build.mjs"]);
}

const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
for (const { title, run } of CHECKS) {
  console.log(`\n== ${title}`);
  const counts = await run();
  if (counts.failed > 0) failures.push(title);
  for (const key of Object.keys(total)) total[key] += counts[key];
}
console.log(failures.length === 0 ? "\nevery check passed" : `\nfailed: ${failures.join(", ")}`);
console.log(summaryLine(total));
process.exitCode = total.failed === 0 ? 0 : 1;
