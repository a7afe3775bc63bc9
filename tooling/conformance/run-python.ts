import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 1024 * 1024 * 1024;

/**
 * Runs one of the scripts beside this file with the Python that TINKEX_CONFORMANCE_PYTHON names, and gives what it prints.
 *
 * @param modules - names of what it imports
 * @returns the lines, or in words why it cannot run here
 */
export async function runPython(
  script: string,
  modules: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly lines: readonly string[] } | { readonly missing: string }> {
  // Not the one that CI installs: these comparisons take longer than a run of all tests should.
  const python = env.TINKEX_CONFORMANCE_PYTHON;
  if (python === undefined)
    return { missing: "TINKEX_CONFORMANCE_PYTHON names no Python: see tooling/conformance/README.md" };
  const options = { env: { PATH: env.PATH, PYTHONDONTWRITEBYTECODE: "1" }, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    await run(python, ["-c", `import ${modules.join(", ")}`], options);
  } catch {
    return { missing: `${python} lacks one of ${modules.join(", ")}: see tooling/conformance/README.md` };
  }
  const path = fileURLToPath(new URL(script, import.meta.url));
  const { stdout } = await run(python, [path, ...args], options);
  return { lines: stdout.trimEnd().split("\n") };
}
