// Installs the official Python SDK where the conformance tests look for it, if this machine has Python and the package index
// can be reached. Prints one line and ends with 0 where it cannot: the tests are then skipped, and say so.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENVIRONMENT = join(ROOT, ".cache", "conformance");
const PYTHON = join(ENVIRONMENT, "bin", "python");
/** Options by which nothing of another hash is unpacked, nothing is built, and nothing beyond the list is installed. */
const INSTALL =
  "-m pip install --require-hashes --only-binary :all: --no-deps --quiet --no-compile -r requirements.txt";
/** Time for each command, in milliseconds: on a busy machine the download took four minutes. */
const LIMIT_MS = 480_000;

/** @param {string} program @param {readonly string[]} args */
const run = (program, args) =>
  execFileSync(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: LIMIT_MS,
    cwd: import.meta.dirname,
  });

if (!existsSync(PYTHON)) {
  try {
    run("python3", ["-m", "venv", ENVIRONMENT]);
    run(PYTHON, INSTALL.split(" "));
  } catch (error) {
    // A half-made environment would look like an installed one.
    rmSync(ENVIRONMENT, { recursive: true, force: true });
    const [reason] = `${error instanceof Error ? error.message : error}`.split("\n");
    console.log(`the official Python SDK could not be installed, so its tests are skipped: ${reason}`);
  }
}
