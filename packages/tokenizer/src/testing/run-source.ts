import { type ChildProcess, execFile } from "node:child_process";
import { promisify } from "node:util";
import { type SourceProgram, sourceProgram } from "@tinkex-tooling/source-program";

/** Runs a program in a process of its own, on the sources, and gives what it printed. */
export async function runProgram(
  { nodeArguments }: SourceProgram,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeArguments, ...args], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

/** Starts a program in a process of its own, on the sources, for a test that ends it. */
export function startProgram({ nodeArguments }: SourceProgram, args: readonly string[]): ChildProcess {
  return execFile(process.execPath, [...nodeArguments, ...args], () => {});
}

/** Runs a program once, as of the module with this address. */
export async function runSource(
  code: string,
  from: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = await sourceProgram(code, from);
  try {
    return await runProgram(program, [], env);
  } finally {
    await program.remove();
  }
}
