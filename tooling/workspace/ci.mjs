// What runs on every change: `npm test`, then lint, types, unused code, packaging and a rehearsed release. The last line sums
// it all up.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { pnpm, workspaceProgram } from "./pnpm.mjs";
import { runCommand } from "./run-command.mjs";
import { countTests, summary } from "./test-results.mjs";
import { ROOT } from "./versions.mjs";
import { runVitest } from "./vitest.mjs";

const TEST_REPORT = join(ROOT, ".cache", "test-results.json");

const NOTHING_COUNTED = { passed: 0, failed: 0, skipped: 0 };

/** Each check counts as one test that passed or failed; a check that is a test run counts its tests. */
const CHECKS = [
  {
    // Not a check by itself: it lets the conformance tests run where it can.
    title: "the official Python SDK",
    run: async () => {
      await runCommand(process.execPath, ["tooling/conformance/install-python-sdk.mjs"], { cwd: ROOT });
      return NOTHING_COUNTED;
    },
  },
  {
    // Nor is this: it lets the browser tests run where it can. It installs a package of the system only where CI is set, or
    // where this script was given `--install`.
    title: "Chromium",
    run: async () => {
      await runCommand(process.execPath, ["tooling/browser/install-chromium.mjs", ...process.argv.slice(2)], {
        cwd: ROOT,
      });
      return NOTHING_COUNTED;
    },
  },
  {
    // Neither is this: it lets the tests of tensors run on tfjs-node where it can.
    title: "the native addon of tfjs-node",
    run: async () => {
      await pnpm(["install", "--frozen-lockfile", "--reporter=silent"]);
      await runCommand(process.execPath, ["tooling/tfjs-node/install.mjs"], { cwd: ROOT });
      return NOTHING_COUNTED;
    },
  },
  {
    title: "npm test",
    run: async () => {
      // What an earlier run left must not be counted for one that ends before its tests.
      rmSync(TEST_REPORT, { force: true });
      return countTests(TEST_REPORT, await runCommand("npm", ["test"], { cwd: ROOT }));
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
  {
    title: "release rehearsal",
    run: async () => runVitest("release-results", ["--config", "tooling/release/vitest.config.ts"]),
  },
];

/** @param {number} exitCode */
function asCount(exitCode) {
  return exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/** A check that could not run at all is one that failed. @param {unknown} error */
function reportFailure(error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  return asCount(1);
}

async function secondBuild() {
  return workspaceProgram("node", ["tooling/workspace/second-build.mjs"]);
}

const total = { ...NOTHING_COUNTED };
const failures = [];
for (const { title, run } of CHECKS) {
  console.log(`\n== ${title}`);
  const counts = await run().catch(reportFailure);
  if (counts.failed > 0) failures.push(title);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
console.log(failures.length === 0 ? "\nevery check passed" : `\nfailed: ${failures.join(", ")}`);
console.log(summary(total));
process.exitCode = total.failed === 0 ? 0 : 1;
