import { spawn } from "node:child_process";

/** How a script ended. */
export interface ScriptEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From its last line of output to its end, in milliseconds. */
  readonly lingeredMs: number;
}

/** Runs a module's text in a process of its own, from the sources of our packages. */
export function runScript(text: string, env: Readonly<Record<string, string>> = {}): Promise<ScriptEnd> {
  // The loader of the test runner is not there, so types are taken away by the one that comes with the workspace.
  const child = spawn(
    process.execPath,
    ["--conditions=@tinkex/source", "--import=tsx", "--input-type=module", "-e", text],
    {
      cwd: new URL("..", import.meta.url),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
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
