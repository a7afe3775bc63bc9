import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { constants, setPriority } from "node:os";

/** @type {Partial<Record<NodeJS.Signals, number>>} The exit code a shell gives a command that a signal ended. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * Ways to run a command beside others.
 *
 * @typedef {object} OutputOptions
 * @property {string} [copyTo] a file that gets all it prints as well
 * @property {(text: string) => void} [printTo] takes what it prints in the terminal's place
 * @property {boolean} [isPatient] lets other programs have the processor first
 */

/**
 * Runs a command with this process's terminal and waits for its end.
 * An interrupt reaches the child from the terminal itself; we only wait for it, so that nothing is left behind.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions & OutputOptions} [options]
 * @returns {Promise<number>} its exit code
 */
export function runCommand(command, args, { copyTo, printTo, isPatient, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: copyTo === undefined && printTo === undefined ? "inherit" : ["inherit", "pipe", "pipe"],
      ...options,
    });
    if (isPatient && child.pid !== undefined)
      setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    if (printTo !== undefined) {
      for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", printTo);
    }
    const finishCopy =
      copyTo === undefined ? async () => {} : copyOutput(child, copyTo, printTo === undefined);
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
 * Writes down what a child prints, and shows it where it has the terminal.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} file
 * @param {boolean} hasTerminal
 * @returns {() => Promise<void>} to be called at its end
 */
function copyOutput(child, file, hasTerminal) {
  const copy = createWriteStream(file);
  if (hasTerminal) {
    child.stdout?.pipe(process.stdout, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
  }
  child.stdout?.pipe(copy, { end: false });
  child.stderr?.pipe(copy, { end: false });
  return () =>
    new Promise((resolve, reject) => {
      copy.on("error", reject);
      copy.end(resolve);
    });
}
