import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { pythonOf, SERVER_CACHE } from "./server-cache.js";
import { MODEL_NAME, SERVER_KINDS, type ServerKind, SKYRL_0_4, script } from "./server-kinds.js";

const run = promisify(execFile);

/** Time for each command, in milliseconds: the largest list is 0.9 GB, and a busy machine takes ten times as long. */
const LIMIT_MS = 1_800_000;
/** Options by which nothing of another hash is unpacked, nothing is built, and nothing beyond the list is installed. */
const INSTALL = [
  "-m",
  "pip",
  "install",
  "--require-hashes",
  "--only-binary",
  ":all:",
  "--no-deps",
  "--quiet",
];

/** Installs the servers that are not there yet, with the Python that TINKEX_PYTHON312 names, and makes the model they serve. */
export default async function installServers(): Promise<void> {
  for (const kind of SERVER_KINDS) if (!existsSync(pythonOf(kind))) await install(kind);
  const model = join(SERVER_CACHE, MODEL_NAME);
  if (!existsSync(model)) await run(pythonOf(SKYRL_0_4), [script("make_tiny_model.py"), model]);
}

async function install(kind: ServerKind): Promise<void> {
  const python = process.env.TINKEX_PYTHON312;
  if (python === undefined) {
    throw new Error(`${kind.title} is not installed and TINKEX_PYTHON312 names no Python 3.12 to do so`);
  }
  const environment = dirname(dirname(pythonOf(kind)));
  console.log(`installing ${kind.title} in ${environment}`);
  try {
    await run(python, ["-m", "venv", environment], { timeout: LIMIT_MS });
    for (const list of kind.requirements) {
      await run(pythonOf(kind), [...INSTALL, "-r", script(list)], { timeout: LIMIT_MS });
    }
  } catch (error) {
    // A half-made environment would look like an installed one.
    rmSync(environment, { recursive: true, force: true });
    throw error;
  }
}
