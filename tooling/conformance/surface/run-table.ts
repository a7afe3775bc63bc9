import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Longest that a table may take on a slow machine. */
const MAX_MS = 300_000;

/** One row of a table as it was run, or something of the installed package that the table has not. */
export interface TableLine {
  readonly method?: string;
  readonly command?: string;
  readonly ok?: boolean;
  /** Reason for which a row was not run. */
  readonly skipped?: string;
}

/** Runs a table with the script that reads it, and gives one record a line. */
export async function runTable(
  python: string,
  script: string,
  table: string,
  args: readonly string[],
): Promise<readonly TableLine[]> {
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const options = {
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: "1" },
    maxBuffer: 2 ** 26,
    timeout: MAX_MS,
  };
  const { stdout } = await run(python, [path(script), path(table), ...args], options);
  return stdout
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TableLine);
}
