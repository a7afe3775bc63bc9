import { spawnSync } from "node:child_process";

/**
 * Runs a program without showing what it prints.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ readonly cwd?: string, readonly limitMs: number }} options
 * @throws {Error} with the line that tells most of what it printed, when it fails or takes longer than `limitMs` milliseconds
 */
export function runQuietly(program, args, { cwd, limitMs }) {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    timeout: limitMs,
    encoding: "utf8",
    // A compiler warns at length; more than the limit would end it.
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  const lines = `${stdout ?? ""}\n${stderr ?? ""}`.trim().split("\n");
  const told =
    lines.find((line) => /error|cannot|not found/i.test(line) && !/\bwarn/i.test(line)) ?? lines.at(-1);
  throw new Error(`${program} ${args.slice(0, 3).join(" ")}: ${error?.message ?? told?.trim()}`);
}
