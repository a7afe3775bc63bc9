import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "./run-command.mjs";

/**
 * The pnpm that this repository is built with.
 *
 * @typedef {{ version: string, integrity: string }} PinnedPnpm `integrity`: the hash of its tarball as npm writes it, e.g.
 *   `sha512-9Jta…==`
 */

/**
 * Reads the `packageManager` field of a manifest, e.g. `pnpm@10.34.9+sha512.f49b…`: hexadecimal there, as corepack has it.
 *
 * @param {string} field
 * @returns {PinnedPnpm}
 */
export function parsePackageManager(field) {
  const match = /^pnpm@(\d+\.\d+\.\d+)\+sha512\.([0-9a-f]{128})$/.exec(field);
  if (match === null)
    throw new Error(
      `packageManager in package.json must be pnpm@VERSION+sha512.HEX with 128 hexadecimal digits, got ${JSON.stringify(field)}; npm view pnpm@VERSION dist.integrity tells the hash in base64`,
    );
  const [, version = "", hash = ""] = match;
  return { version, integrity: `sha512-${Buffer.from(hash, "hex").toString("base64")}` };
}

/**
 * Installs one pnpm through npm, which unpacks nothing whose hash is another one: `npm ci` goes by the lock file written here.
 *
 * @param {PinnedPnpm} pinned
 * @param {string} folder of its own, which need not exist; npm empties its `node_modules`
 * @param {import("node:child_process").SpawnOptions & { copyTo?: string }} [options]
 * @returns {Promise<number>} npm's exit code
 */
export async function installPnpm({ version, integrity }, folder, options = {}) {
  const name = "tinkex-pnpm";
  const dependencies = { pnpm: version };
  const lock = {
    name,
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name, dependencies },
      // Without its programs named here npm links none, and turbo finds no package manager on PATH.
      "node_modules/pnpm": { version, integrity, bin: { pnpm: "bin/pnpm.cjs" } },
    },
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, dependencies }));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const isWindows = process.platform === "win32";
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return runCommand(isWindows ? "npm.cmd" : "npm", args, { shell: isWindows, cwd: folder, ...options });
}
