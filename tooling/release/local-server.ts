import { type ChildProcess, spawn } from "node:child_process";

/** A local server that runs in the project of a user. */
export interface ServerProcess {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a command that prints the address it serves at.
 *
 * @throws Error with all that it printed, where it ends before
 */
export function startServerProcess(
  command: string,
  args: readonly string[],
  folder: string,
): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  let printed = "";
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    void ended.then(() => reject(new Error(`the local server ended before it served:\n${printed}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data: Buffer) => {
        printed += data.toString();
        const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
        if (url !== undefined) resolve({ url, close: () => stop(child, ended) });
      });
    }
  });
}

function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill("SIGTERM");
  return ended;
}
