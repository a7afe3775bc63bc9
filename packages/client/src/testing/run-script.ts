import { spawn } from "node:child_process";
import { sourceProgram } from "@tinkex-tooling/source-program";

/** The end of a program. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From its last line of output to its end, in milliseconds. */
  readonly lingeredMs: number;
}

/** Runs a TypeScript module in a process of its own, from the sources of our packages, of which it does not find those that are missing. */
export async function runScript(
  text: string,
  env: Readonly<Record<string, string>> = {},
  missing: readonly string[] = [],
): Promise<ScriptEnd> {
  const program = await sourceProgram(text, import.meta.url, missing);
  try {
    return await run(program.nodeArguments, env);
  } finally {
    await program.remove();
  }
}

function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ScriptEnd> {
  const child = spawn(process.execPath, args, {
    cwd: new URL("..", import.meta.url),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  let lastOutputMs = Date.now();
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    lastOutputMs = Date.now();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr, lingeredMs: Date.now() - lastOutputMs }));
  });
}
