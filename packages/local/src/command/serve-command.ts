import { AbortedError, errorMessage } from "@tinkex/base";
import type { CommandSurroundings } from "@tinkex/base/node";
import { startExtended } from "../server/start-local-server.js";
import { SERVE_HELP, serveArguments } from "./serve-arguments.js";

/**
 * Runs `serve` until it is told to end: starts the local server, says where it is, and lets work under way be answered before it
 * closes. A start that is under way is ended.
 *
 * @param args - what follows `serve` on the command line
 * @returns the exit code of the process
 */
export async function serveCommand(
  args: readonly string[],
  { env, write, writeError, ended }: CommandSurroundings,
): Promise<number> {
  const abort = new AbortController();
  void ended.then(() => abort.abort());
  try {
    const { options, isHelpWanted } = serveArguments(args, env);
    if (isHelpWanted) {
      write(SERVE_HELP);
      return 0;
    }
    await using server = await startExtended(
      { ...options, logger: lineLogger(writeError) },
      undefined,
      abort.signal,
    );
    write(`serving the Tinker API at ${server.url}`);
    for (const { name, runtime, threads, weights } of server.models) {
      const form = weights === "float32" ? "" : `, ${weights} weights`;
      write(`model ${name} (${runtime}, ${threads} ${threads === 1 ? "thread" : "threads"}${form})`);
    }
    write(`data in ${server.dataDirectory}`);
    write(`use it with TINKER_BASE_URL=${server.url}; stop it with Ctrl+C`);
    await ended;
    write("closing");
    return 0;
  } catch (error) {
    if (abort.signal.aborted && (error instanceof AbortedError || error === abort.signal.reason)) {
      write("closing");
      return 0;
    }
    writeError(`error: ${withFlags(errorMessage(error))}`);
    return 1;
  }
}

/** Options of the server whose flag is another word. */
const FLAGS = [
  ["apiKey", "--api-key"],
  ["dataDirectory", "--data"],
  ["standIn", "--stand-in"],
  ["memoryLimitMb", "--memory-limit"],
] as const;

/** Adds the flags for the options that a message of the server names, for whoever only knows the command. */
function withFlags(message: string): string {
  const words = new Set(message.split(/\W/));
  const named = FLAGS.filter(([option]) => words.has(option));
  const flags = named.map(([option, flag]) => `${option} is ${flag}`).join(", ");
  return flags === "" ? message : `${message} (on the command line ${flags})`;
}

function lineLogger(write: (line: string) => void) {
  const line = (level: string) => (message: string) => write(`${level}: ${message}`);
  return { debug: () => {}, info: line("info"), warn: line("warn"), error: line("error") };
}
