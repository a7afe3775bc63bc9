import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";

/** @type {Partial<Record<NodeJS.Signals, number>>} The exit code a shell gives a command that a signal ended. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * Runs a command with this process's terminal and waits for its end.
 * An interrupt reaches the child from the terminal itself; we only wait for it, so that nothing is left behind.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions & { copyTo?: string }} [options] `copyTo`: a file that gets all it
 *   prints as well
 * @returns {Promise<number>} its exit code
 */
export function runCommand(command, args, { copyTo, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: copyTo === undefined ? "inherit" : ["inherit", "pipe", "pipe"],
      ...options,
    });
    const finishCopy = copyTo === undefined ? async () => {} : copyOutput(child, copyTo);
    const wait = () => {};
    process.on("SIGINT", wait);
    const settle = () => process.removeListener("SIGINT", wait);
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    child.on("close", (code, signal) => {
      settle();
      const exitCode = code ?? (signal === null ? undefined : SIGNAL_EXIT_CODES[signal]) ?? 1;
      finishCopy().then(() => resolve(exitCode), reject);
    });
  });
}

/**
 * Shows what a child prints, and writes it down.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} file
 * @returns {() => Promise<void>} to be called at its end
 */
function copyOutput(child, file) {
  const copy = createWriteStream(file);
  child.stdout?.pipe(process.stdout, { end: false });
  child.stderr?.pipe(process.stderr, { end: false });
  child.stdout?.pipe(copy, { end: false });
  child.stderr?.pipe(copy, { end: false });
  return () =>
    new Promise((resolve, reject) => {
      copy.on("error", reject);
      copy.end(resolve);
    });
}
