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
  if (!isFresh("install")) {
    exitUnlessZero(await pnpm(["install", "--frozen-lockfile", "--reporter=append-only"]), "pnpm install");
    markFresh("install");
  }
  if (!isFresh("build")) {
    exitUnlessZero(
      await workspaceProgram("turbo", ["run", "build", "--output-logs=errors-only"]),
      "turbo run build",
    );
    markFresh("build");
  }
}

/** @param {number} code @param {string} what */
function exitUnlessZero(code, what) {
  if (code === 0) return;
  if (code !== 130) console.error(`${what} failed with exit code ${code}`);
  process.exit(code);
}
