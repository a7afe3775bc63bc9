import { execFile } from "node:child_process";

/** How a command ended: its exit code and all it printed. */
export interface CommandResult {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a command to its end; a non-zero exit code is a result, not an error. */
export function run(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
  },
): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      {
        cwd: options.cwd,
        env: { ...process.env, ...options.env },
        timeout: options.timeoutMs ?? 240_000,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ exitCode, output: `${stdout}${stderr}` });
      },
    );
  });
}
