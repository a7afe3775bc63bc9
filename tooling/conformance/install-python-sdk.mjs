// Installs the official Python SDK where the conformance tests look for it, if this machine has Python and the package index
// can be reached. Prints one line and ends with 0 where it cannot: the tests are then skipped, and say so.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENVIRONMENT = join(ROOT, ".cache", "conformance");
const PYTHON = join(ENVIRONMENT, "bin", "python");
/** Time for the download, in milliseconds. */
const LIMIT_MS = 240_000;

/** @param {string} program @param {readonly string[]} args */
const run = (program, args) =>
  execFileSync(program, args, { stdio: ["ignore", "ignore", "pipe"], timeout: LIMIT_MS });

if (!existsSync(PYTHON)) {
  try {
    run("python3", ["-m", "venv", ENVIRONMENT]);
    run(PYTHON, ["-m", "pip", "install", "--quiet", "-r", join(import.meta.dirname, "requirements.txt")]);
  } catch (error) {
    // A half-made environment would look like an installed one.
    rmSync(ENVIRONMENT, { recursive: true, force: true });
    const [reason] = `${error instanceof Error ? error.message : error}`.split("\n");
    console.log(`the official Python SDK could not be installed, so its tests are skipped: ${reason}`);
  }
}
