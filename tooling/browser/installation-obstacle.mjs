/**
 * Says in words why Debian's Chromium is not installed on this machine; undefined where nothing is in the way. Packages of a
 * system are installed where that was asked for only: by `--install`, or by the `CI` variable of a machine made for one run.
 *
 * @param {{ env: Readonly<Record<string, string | undefined>>, args: readonly string[], platform: string, isRoot: boolean }} machine
 * @returns {string | undefined}
 */
export function installationObstacle({ env, args, platform, isRoot }) {
  if (env.CHROMIUM_PATH) return `CHROMIUM_PATH names ${env.CHROMIUM_PATH}, which does not exist`;
  const asked = args.includes("--install") || !["", "0", "false"].includes(env.CI ?? "");
  if (!asked)
    return "nobody asked for it: set CHROMIUM_PATH to a Chromium or Chrome, or have Debian's installed with node tooling/browser/install-chromium.mjs --install (as root, 124 MB)";
  if (platform !== "linux") return "only Debian's apt-get is tried";
  if (!isRoot) return "apt-get needs root";
  return undefined;
}
