// Everything that runs on every change: `npm test`, lint, types, unused code, packaging and a rehearsed release. Checks that leave a
// core idle run beside others (docs/decisions/031). The last line sums it all up.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { ensurePnpm, pnpm, workspaceProgram } from "./pnpm.mjs";
import { build, install } from "./prepare.mjs";
import { runCommand } from "./run-command.mjs";
import { countTests, summary } from "./test-results.mjs";
import { ROOT } from "./versions.mjs";
import { runVitest } from "./vitest.mjs";

/** @typedef {import("./pnpm.mjs").CommandExtras} CommandExtras */
/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ title: string, run: (extras: CommandExtras) => Promise<Counts> }} Check */

const TEST_REPORT = join(ROOT, ".cache", "test-results.json");

const NOTHING_COUNTED = { passed: 0, failed: 0, skipped: 0 };

/** Programs of ours that let tests run where they can, and say so where they cannot; they fail no change. */
const PYTHON_SDK = preparation("the official Python SDK", ["tooling/conformance/install-python-sdk.mjs"]);
// Installs a package of the system only where CI is set, or where this script was given `--install`.
const CHROMIUM = preparation("Chromium", ["tooling/browser/install-chromium.mjs", ...process.argv.slice(2)]);
const TFJS_NODE = preparation("the native addon of tfjs-node", ["tooling/tfjs-node/install.mjs"]);

const INSTALL = required("pnpm install", install);
const BUILD = required("turbo run build", build);

const BIOME = single("biome", (extras) => pnpm(["lint"], extras));
const SECOND_BUILD = single("turbo: a second build is all cache hits", (extras) =>
  workspaceProgram("node", ["tooling/workspace/second-build.mjs"], extras),
);
const TSC = single("tsc -b", (extras) => pnpm(["typecheck"], extras));
const KNIP = single("knip", (extras) => pnpm(["knip"], extras));

/** @type {Check} */
const TESTS = {
  title: "npm test",
  run: async () => {
    // The report of an earlier run must not be counted for one that ends before its tests.
    rmSync(TEST_REPORT, { force: true });
    return countTests(TEST_REPORT, await runCommand("npm", ["test"], { cwd: ROOT }));
  },
};

/** @type {Check} */
const TARBALLS = {
  title: "packaging, and a rehearsed release",
  run: async () => runVitest("tarball-results", ["--config", "tooling/release/tarballs.vitest.config.ts"]),
};

/** @param {string} title @param {readonly string[]} args @returns {Check} */
function preparation(title, args) {
  return {
    title,
    run: async (extras) => {
      await runCommand(process.execPath, args, { cwd: ROOT, ...extras });
      return NOTHING_COUNTED;
    },
  };
}

/** A step that counts only where it fails. @param {string} title @param {(extras: CommandExtras) => Promise<number>} run @returns {Check} */
function required(title, run) {
  return {
    title,
    run: async (extras) => ((await run(extras)) === 0 ? NOTHING_COUNTED : { ...NOTHING_COUNTED, failed: 1 }),
  };
}

/** A check that counts as one test. @param {string} title @param {(extras: CommandExtras) => Promise<number>} run @returns {Check} */
function single(title, run) {
  return {
    title,
    run: async (extras) => ({ ...NOTHING_COUNTED, [(await run(extras)) === 0 ? "passed" : "failed"]: 1 }),
  };
}

const total = { ...NOTHING_COUNTED };
/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const times = [];

/** Runs a check. One that could not run at all has failed. @param {Check} check @param {CommandExtras} extras */
async function count({ title, run }, extras) {
  const start = performance.now();
  const counts = await run(extras).catch((error) => {
    const line = `error: ${error instanceof Error ? error.message : error}\n`;
    if (extras.printTo === undefined) process.stderr.write(line);
    else extras.printTo(line);
    return { ...NOTHING_COUNTED, failed: 1 };
  });
  times.push(`${title} ${((performance.now() - start) / 1000).toFixed(0)} s`);
  if (counts.failed > 0) failures.push(title);
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}

/** Runs a check with the terminal to itself. @param {Check} check */
async function show(check) {
  console.log(`\n== ${check.title}`);
  await count(check, {});
}

/**
 * Runs a check beside others, and shows all that it printed once it is done.
 *
 * @param {Check} check
 * @param {{ after?: Promise<unknown>, isPatient?: boolean }} [options] `after`: has the terminal until then; `isPatient`: lets others
 *   have the processor first
 */
async function showBeside(check, { after, isPatient = false } = {}) {
  /** @type {string[]} */
  const printed = [];
  await count(check, { isPatient, printTo: (text) => printed.push(text) });
  await after;
  console.log(`\n== ${check.title}\n${printed.join("")}`);
}

/** Downloads and the build, of which none keeps two cores busy. */
async function setUp() {
  await ensurePnpm();
  const downloads = [showBeside(PYTHON_SDK), showBeside(CHROMIUM)];
  await showBeside(INSTALL);
  if (failures.length === 0) {
    const built = showBeside(BUILD).then(() => showBeside(SECOND_BUILD));
    downloads.push(built, showBeside(TFJS_NODE), showBeside(BIOME));
  }
  await Promise.all(downloads);
}

/** The tests, with the compiler in the time that they wait for timers and processes. */
async function testAndCompile() {
  const tests = show(TESTS);
  const beside = { after: tests, isPatient: true };
  const compiled = showBeside(TSC, beside);
  const searched = showBeside(KNIP, beside);
  await Promise.all([tests, compiled, searched]);
}

await setUp();
// Nothing else can run on what could not be installed or built.
if (![INSTALL, BUILD].some(({ title }) => failures.includes(title))) {
  await testAndCompile();
  await show(TARBALLS);
}
console.log(`\n${times.join(", ")}`);
console.log(failures.length === 0 ? "every check passed" : `failed: ${failures.join(", ")}`);
console.log(summary(total));
process.exitCode = total.failed === 0 ? 0 : 1;
