import { type ChildProcess, execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const require = createRequire(import.meta.url);
const flags = ["--conditions=@tinkex/source", `--import=${pathToFileURL(require.resolve("tsx"))}`];

/** Runs a TypeScript file in a process of its own, on the sources, and gives what it printed. */
export async function runSource(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, file, ...args], {
    cwd: dirname(file),
    env: { ...process.env, ...env },
  });
  return stdout;
}

/** Starts a TypeScript file in a process of its own, on the sources, for a test that ends it. */
export function startSource(file: string, args: readonly string[]): ChildProcess {
  return execFile(process.execPath, [...flags, file, ...args], { cwd: dirname(file) }, () => {});
}
