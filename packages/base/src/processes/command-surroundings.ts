import { leftByNpm, type StartedProcess } from "./left-by-npm.js";

/** The outside of a command: where it writes, and what ends it. */
export interface CommandSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  write(line: string): void;
  writeError(line: string): void;
  /** Resolves when the command shall end in order: at the first Ctrl+C, `SIGTERM`, end of its terminal, or end of the `npx` that started it. */
  readonly ended: Promise<void>;
}

/** Signals that end a command in order; the same one again ends it at once. `SIGHUP` comes when its terminal is closed. */
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The parts of Node's `process` that a command deals with. */
type CommandProcess = Pick<NodeJS.Process, "once"> &
  StartedProcess & {
    readonly stdout: NodeJS.WriteStream;
    readonly stderr: NodeJS.WriteStream;
  };

/**
 * Gives a command the surroundings of its process. Output that nobody reads any more (`tinkex serve | head -1`, a terminal that was
 * closed, a full disk) is dropped: the command goes on without it.
 */
export function commandSurroundings(process: CommandProcess): CommandSurroundings {
  const writeTo = (stream: NodeJS.WriteStream) => {
    // A failed write is told by this event, which ends a process that does not listen.
    stream.on("error", () => {});
    return (line: string) => void stream.write(`${line}\n`);
  };
  const ended = new Promise<void>((resolve) => {
    for (const signal of ENDING_SIGNALS) process.once(signal, () => resolve());
    void leftByNpm(process).then(resolve);
  });
  return { env: process.env, write: writeTo(process.stdout), writeError: writeTo(process.stderr), ended };
}
