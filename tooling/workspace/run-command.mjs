import { spawn } from "node:child_process";

/** @type {Partial<Record<NodeJS.Signals, number>>} The exit code a shell gives a command that a signal ended. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/**
 * Runs a command with this process's terminal and waits for its end.
 * An interrupt reaches the child from the terminal itself; we only wait for it, so that nothing is left behind.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {Promise<number>} its exit code
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "inherit", ...options });
    const wait = () => {};
    process.on("SIGINT", wait);
    const settle = () => process.removeListener("SIGINT", wait);
    child.on("error", (error) => {
      settle();
      reject(error);
    });
    child.on("close", (code, signal) => {
      settle();
      resolve(code ?? (signal === null ? undefined : SIGNAL_EXIT_CODES[signal]) ?? 1);
    });
  });
}
