import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { workspaceProgram } from "./pnpm.mjs";
import { countTests } from "./test-results.mjs";
import { ROOT } from "./versions.mjs";

/**
 * Runs vitest and counts what it ran.
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
  const exitCode = await workspaceProgram("vitest", ["run", ...reporters, ...args], extras);
  return countTests(report, exitCode);
}
