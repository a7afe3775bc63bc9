import { errorMessage, nearestName } from "@tinkex/base";
import type { CommandSurroundings } from "@tinkex/base/node";
import { runServe } from "./run-serve.js";

const HELP = `tinkex: fine-tune and sample large language models through the Tinker API

  tinkex serve [options]   serve the API on this machine, and really train (--help lists the options)
  tinkex --version         print the version
  tinkex --help            show this`;

/** Words that stand for a command, with the way it is written. */
const COMMANDS: Readonly<Record<string, string>> = { serve: "serve", help: "--help", version: "--version" };

/** Runs the command line of `tinkex`. @returns the exit code of the process */
export async function runCommand(
  argv: readonly string[],
  surroundings: CommandSurroundings,
  version: string,
): Promise<number> {
  const [command, ...args] = argv;
  if (command === "--version" || command === "-v") {
    surroundings.write(version);
    return 0;
  }
  if (command === "--help" || command === "-h") {
    surroundings.write(HELP);
    return 0;
  }
  if (command === undefined) {
    // A pipe that waits for the output of a command gets none.
    surroundings.writeError(HELP);
    return 1;
  }
  if (command !== "serve") {
    surroundings.writeError(`error: there is no command ${JSON.stringify(command)}; ${adviceOn(command)}`);
    return 1;
  }
  try {
    return await runServe(args, surroundings, version);
  } catch (error) {
    surroundings.writeError(`error: ${errorMessage(error)}`);
    return 1;
  }
}

/** Says what was probably meant by a first word that is no command. */
function adviceOn(command: string): string {
  const nearest = nearestName(command, Object.keys(COMMANDS));
  if (nearest !== undefined) return `did you mean ${COMMANDS[nearest]}?`;
  if (command.startsWith("-")) return `options follow the command, as in tinkex serve ${command}`;
  return "tinkex --help lists them";
}
