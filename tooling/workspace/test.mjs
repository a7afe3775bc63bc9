// `npm test`: installs and builds what is missing, then runs every test. Further arguments go to vitest.
// At the end all that the tests printed and witnessed is searched for the secrets they plant: see tooling/canary.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { WITNESS_FILE } from "../canary/index.mjs";
import { findLeaks } from "./find-leaks.mjs";
import { prepare } from "./prepare.mjs";
import { summary } from "./test-results.mjs";
import { ROOT } from "./versions.mjs";
import { runVitest } from "./vitest.mjs";

const args = process.argv.slice(2);
const cache = join(ROOT, ".cache");
const output = join(cache, "test-output.log");
const witnessed = join(cache, "test-witness.log");
const report = join(cache, "test-results.json");
/** Sources as they were compiled for one project, kept for the others: most modules are in a dozen of them. */
const modules = join(cache, "vitest");

await prepare();
mkdirSync(cache, { recursive: true });
for (const file of [output, witnessed, modules]) rmSync(file, { recursive: true, force: true });
const colours = process.stdout.isTTY && process.env.NO_COLOR === undefined ? { FORCE_COLOR: "1" } : {};
const counts = await runVitest("test-results", [...args, "--experimental.fsModuleCache"], {
  copyTo: output,
  env: { [WITNESS_FILE]: witnessed, ...colours },
});

const leaks = findLeaks([output, witnessed, report]);
// A search of nothing would find nothing: the whole suite always has something witnessed.
if (args.length === 0 && !existsSync(witnessed))
  leaks.push(`no test wrote to ${WITNESS_FILE}; see tooling/canary`);
for (const leak of leaks) console.error(`leak: ${leak}`);
if (leaks.length > 0) counts.failed += 1;
console.log(summary(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
