import { basename } from "node:path";
import type { Clock } from "../ports/clock.js";
import { systemClock } from "../time/system-clock.js";

/** Pause between two looks at the parent process, in milliseconds: no event tells of its end. */
const LOOK_MS = 500;

/** The parts of Node's `process` that tell how it was started. */
export type StartedProcess = Pick<NodeJS.Process, "argv" | "env" | "ppid">;

/**
 * Waits until npm has left a command that `npx` or `npm exec` has started. They start it by a shell, and pass a signal on to the shell
 * alone: dash, the shell of Debian and Ubuntu, ends by it, and the command would go on without anybody who knows its pid. Never resolves for
 * a command that was started in any other way, as one in the background may outlive its parent.
 */
export async function leftByNpm(process: StartedProcess, clock: Clock = systemClock): Promise<void> {
  if (!isStartedByNpm(process)) return new Promise(() => {});
  const { ppid } = process;
  while (process.ppid === ppid) await clock.sleep(LOOK_MS, undefined, { background: true });
}

/** Tells whether the shell of `npx` runs this very command. A program below it that starts one inherits npm's variables, and has another name. */
function isStartedByNpm({ argv, env }: StartedProcess): boolean {
  if (env.npm_command !== "exec" || env.npm_lifecycle_event !== "npx") return false;
  const { npm_lifecycle_script: script = "" } = env;
  // A line of the user's own may start it in the background.
  if (script.includes("&")) return false;
  const [word = ""] = script.trimStart().split(" ", 1);
  return word.replaceAll(/['"]/g, "") === basename(argv[1] ?? "", ".js");
}
