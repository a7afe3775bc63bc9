import { spawn } from "node:child_process";
import { isPackageMissing, TinkexError } from "@tinkex/base";
import type { CommandSurroundings } from "@tinkex/base/node";

/**
 * Runs the local server: the installed one, else the version that matches this package, fetched by npm. It is no dependency,
 * because its two ONNX runtimes unpack to some 430 MB that a program for a hosted service does not need.
 *
 * @returns the exit code of the process
 */
export async function runServe(
  args: readonly string[],
  surroundings: CommandSurroundings,
  version: string,
): Promise<number> {
  const installed = await importLocal();
  if (installed !== undefined) return installed.serveCommand(args, surroundings);
  surroundings.writeError(
    `@tinkex/local is not installed here; npm fetches @tinkex/local@${version} and runs it`,
  );
  return runByNpm(args, surroundings, version);
}

async function importLocal(): Promise<typeof import("@tinkex/local/serve") | undefined> {
  try {
    return await import("@tinkex/local/serve");
  } catch (error) {
    if (isPackageMissing("@tinkex/local", error)) return undefined;
    throw error;
  }
}

/** Runs the server of this version by npm. @throws TinkexError `missing_dependency` where npm cannot be run */
export function runByNpm(
  args: readonly string[],
  { env, ended }: CommandSurroundings,
  version: string,
): Promise<number> {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const child = spawn(npm, npmArguments(args, version), {
    stdio: "inherit",
    shell: process.platform === "win32",
    // The install script of onnxruntime-node would fetch GPU libraries; the CPU library lies inside the package.
    env: { ...env, ONNXRUNTIME_NODE_INSTALL: "skip" },
  });
  void ended.then(() => child.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    child.once("error", (cause) => reject(withoutNpm(cause, version)));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

function withoutNpm(cause: Error, version: string): TinkexError {
  return new TinkexError(
    `npm, which would fetch the server, cannot be run (${cause.message}); install it, or install the server beside tinkex: @tinkex/local@${version}`,
    { code: "missing_dependency", cause },
  );
}

/** The arguments by which npm runs the server of exactly this version. */
export function npmArguments(args: readonly string[], version: string): string[] {
  return ["exec", "--yes", `--package=@tinkex/local@${version}`, "--", "tinkex-local", ...args];
}
