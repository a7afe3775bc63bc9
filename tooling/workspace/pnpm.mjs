import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { installPnpm } from "./install-pnpm.mjs";
import { runCommand } from "./run-command.mjs";
import { PNPM, ROOT } from "./versions.mjs";

const folder = join(ROOT, ".cache", "pnpm", PNPM.version);
const program = join(folder, "node_modules", "pnpm", "bin", "pnpm.cjs");

/** The environment of everything we start: the pinned pnpm on PATH, where turbo looks for it, and no reporting home. */
export const workspaceEnv = {
  ...process.env,
  PATH: [
    join(folder, "node_modules", ".bin"),
    join(ROOT, "node_modules", ".bin"),
    process.env.PATH ?? "",
  ].join(delimiter),
  TURBO_TELEMETRY_DISABLED: "1",
  TURBO_NO_UPDATE_NOTIFIER: "1",
};

/** Installs the pinned pnpm through npm, into the repository's own cache, unless it is there. */
export async function ensurePnpm() {
  if (existsSync(program)) return;
  const code = await installPnpm(PNPM, folder);
  if (code !== 0)
    throw new Error(
      `npm could not install pnpm ${PNPM.version} (exit code ${code}); is the npm registry reachable, and is its tarball the one whose hash package.json has?`,
    );
}

/**
 * Settings of a command besides its arguments; `env` are more variables.
 *
 * @typedef {{ env?: Readonly<Record<string, string>> } & import("./run-command.mjs").OutputOptions} CommandExtras
 */

/** Runs the pinned pnpm in the repository. @param {readonly string[]} args @param {CommandExtras} [extras] @returns {Promise<number>} its exit code */
export async function pnpm(args, { env = {}, ...rest } = {}) {
  await ensurePnpm();
  return runCommand(process.execPath, [program, ...args], {
    cwd: ROOT,
    env: { ...workspaceEnv, ...env },
    ...rest,
  });
}

/** Runs a program of the root's dependencies, e.g. `turbo`. @param {string} name @param {readonly string[]} args @param {CommandExtras} [extras] */
export async function workspaceProgram(name, args, extras) {
  return pnpm(["exec", name, ...args], extras);
}
