import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workspaceProgram } from "./pnpm.mjs";
import { countTests, unsteadyTests } from "./test-results.mjs";
import { ROOT } from "./versions.mjs";

/** Runs a test that failed once more where nobody is there to do it: see docs/decisions/035. */
const RETRIES = process.env.CI ? ["--retry=1"] : [];

/**
 * Runs vitest and counts what it ran. Tests that passed only at the second time are printed.
 *
 * @param {string} name of the report file, below `.cache`
 * @param {readonly string[]} args further arguments of `vitest run`
 * @param {import("./pnpm.mjs").CommandExtras} [extras]
 */
export async function runVitest(name, args, extras) {
  const report = join(ROOT, ".cache", `${name}.json`);
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const exitCode = await workspaceProgram("vitest", ["run", ...reporters, ...RETRIES, ...args], extras);
  for (const test of unsteadyTests(report)) console.error(`unsteady: ${test}`);
  return countTests(report, exitCode);
}
