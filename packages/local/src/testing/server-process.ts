import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { onTestFinished } from "vitest";
import { TestClient } from "./test-client.js";

/** Runs in a process of its own, from our sources: a server around a scripted engine that keeps no idle adapter in memory. */
const PROGRAM = `
  import { silentLogger, systemClock } from "@tinkex/base";
  import { systemProcesses } from "../lock/process-table.ts";
  import { openDataDirectory } from "../server/data-directory.ts";
  import { DEFAULT_LIMITS } from "../server/limits.ts";
  import { serveEngines } from "../server/serve-engines.ts";
  import { ScriptedEngine } from "./scripted-engine.ts";
  const tell = (message) => console.log(JSON.stringify(message));
  const surroundings = { clock: systemClock, logger: silentLogger };
  try {
    const data = await openDataDirectory(process.argv[2], { ...surroundings, processes: systemProcesses() });
    const limits = { ...DEFAULT_LIMITS, idleSamplers: 0 };
    const engines = [new ScriptedEngine()];
    const options = { ...surroundings, engines, standIn: undefined, data, host: "127.0.0.1", port: 0, apiKey: undefined, limits };
    const server = await serveEngines({ ...options, randomSeed: () => 1 });
    tell({ url: server.url, pid: process.pid });
    process.on("SIGTERM", () => void server.close());
  } catch (error) {
    tell({ error: error.message, name: error.name });
  }
`;

/** The first thing that a server process tells. */
type Start =
  | { readonly url: string; readonly pid: number }
  | { readonly error: string; readonly name: string };

export class ServerProcess {
  readonly start: Start;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, start: Start) {
    this.#child = child;
    this.start = start;
  }

  /** @param wrapper - a program with its arguments that runs the server, such as `unshare` */
  static async on(dataDirectory: string, wrapper: readonly string[] = []): Promise<ServerProcess> {
    const program = await sourceProgram(PROGRAM, import.meta.url);
    onTestFinished(() => program.remove());
    const [file = "", ...args] = [...wrapper, process.execPath, ...program.nodeArguments, dataDirectory];
    const cwd = new URL("..", import.meta.url);
    const child = spawn(file, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`the server process ended with code ${code} before it said anything`);
    });
    const [line] = await Promise.race([once(child.stdout, "data"), ended]);
    return new ServerProcess(child, JSON.parse(String(line)));
  }

  /** A client of the server. @throws when it did not start */
  client(): TestClient {
    if ("error" in this.start) throw new Error(this.start.error);
    return new TestClient(this.start.url, "test/one");
  }

  /** Ends the process as if the machine had; `SIGTERM` closes the server first. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    await ended;
  }
}
