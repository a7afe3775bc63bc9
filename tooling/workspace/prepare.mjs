import { isFresh, markFresh } from "./build-stamp.mjs";
import { pnpm, workspaceProgram } from "./pnpm.mjs";
import { requireNode } from "./versions.mjs";

/** Installs and builds what is missing or out of date. Ends the process, with one line, where that fails. */
export async function prepare() {
  requireNode();
  try {
    await installAndBuild();
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}

async function installAndBuild() {
  exitUnlessZero(await install(), "pnpm install");
  exitUnlessZero(await build(), "turbo run build");
}

/** Installs what the packages need, unless it is there. @param {import("./pnpm.mjs").CommandExtras} [extras] */
export async function install(extras) {
  return onceFor("install", () => pnpm(["install", "--frozen-lockfile", "--reporter=append-only"], extras));
}

/** Builds what is out of date. @param {import("./pnpm.mjs").CommandExtras} [extras] */
export async function build(extras) {
  return onceFor("build", () =>
    workspaceProgram("turbo", ["run", "build", "--output-logs=errors-only"], extras),
  );
}

/** @param {Parameters<typeof isFresh>[0]} name @param {() => Promise<number>} run @returns {Promise<number>} the exit code */
async function onceFor(name, run) {
  if (isFresh(name)) return 0;
  const code = await run();
  if (code === 0) markFresh(name);
  return code;
}

/** @param {number} code @param {string} what */
function exitUnlessZero(code, what) {
  if (code === 0) return;
  if (code !== 130) console.error(`${what} failed with exit code ${code}`);
  process.exit(code);
}
