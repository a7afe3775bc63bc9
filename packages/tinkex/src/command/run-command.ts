import { errorMessage, nearestName } from "@tinkex/base";
import type { CommandSurroundings } from "@tinkex/base/node";
import { runServe } from "./run-serve.js";

const HELP = `tinkex: fine-tune and sample large language models through the Tinker API

  tinkex serve [options]   serve the API on this machine, and really train (--help lists the options)
  tinkex --version         print the version
  tinkex --help            show this`;

const COMMANDS = ["serve"];

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
  if (command === undefined || command === "--help" || command === "-h") {
    surroundings.write(HELP);
    return command === undefined ? 1 : 0;
  }
  if (command !== "serve") {
    const nearest = nearestName(command, COMMANDS);
    const advice = nearest === undefined ? "tinkex --help lists them" : `did you mean ${nearest}?`;
    surroundings.writeError(`error: there is no command ${JSON.stringify(command)}; ${advice}`);
    return 1;
  }
  try {
    return await runServe(args, surroundings, version);
  } catch (error) {
    surroundings.writeError(`error: ${errorMessage(error)}`);
    return 1;
  }
}
