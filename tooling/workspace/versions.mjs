import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parsePackageManager } from "./install-pnpm.mjs";

/** The folder of the repository, with a trailing separator. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The pnpm that built the lock file, from `packageManager` in the root manifest. */
export const PNPM = parsePackageManager(manifest.packageManager);

/** The oldest Node the workspace is built on, from `engines`, e.g. `20.19.0`. Below it, native parts of the build tools are skipped. */
export const NODE_FLOOR = manifest.engines.node.replace(/^>=/, "");

/** @param {string} version @param {string} floor both `major.minor.patch` */
export function isAtLeast(version, floor) {
  const have = version.split(".").map(Number);
  for (const [place, need] of floor.split(".").map(Number).entries()) {
    const part = have[place] ?? 0;
    if (part !== need) return part > need;
  }
  return true;
}

/** Ends the process with one clear line when this Node is too old to build the workspace. */
export function requireNode() {
  if (isAtLeast(process.versions.node, NODE_FLOOR)) return;
  console.error(
    `Tinkex is built with Node ${NODE_FLOOR} or newer; this is ${process.versions.node}. Install a newer Node and try again.`,
  );
  process.exit(1);
}
