// Installs Debian's package `chromium` for the browser tests where the machine has no browser, lets us install one, and was asked
// for it: by `--install` or by the variable `CI`. Prints one line and ends with 0 where it does not: the tests are then skipped,
// and say so.
import { execFileSync } from "node:child_process";
import { findChromium } from "./find-chromium.mjs";
import { installationObstacle } from "./installation-obstacle.mjs";

/** Time for both commands together, in milliseconds: 124 MB are fetched, which took 14 s where it was measured. */
const LIMIT_MS = 240_000;

const COMMANDS = [
  ["update", "-qq"],
  ["install", "-y", "-qq", "--no-install-recommends", "chromium"],
];

function install() {
  const reason = installationObstacle({
    env: process.env,
    args: process.argv.slice(2),
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
  });
  if (reason !== undefined) throw new Error(reason);
  const end = performance.now() + LIMIT_MS;
  for (const args of COMMANDS) {
    execFileSync("apt-get", args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      timeout: Math.max(1, Math.ceil(end - performance.now())),
    });
  }
}

if ("missing" in findChromium(process.env)) {
  const start = performance.now();
  try {
    install();
    console.log(`Chromium installed in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  } catch (error) {
    const [reason] = `${error instanceof Error ? error.message : error}`.split("\n");
    console.log(`Chromium was not installed, so its tests are skipped: ${reason}`);
  }
}
