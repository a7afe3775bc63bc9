import { type ChildProcess, spawn } from "node:child_process";
import {
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pythonOf, SERVER_CACHE } from "./server-cache.js";
import { MODEL_NAME, type ServerKind } from "./server-kinds.js";

/** Longest life of a server, in milliseconds, whatever becomes of the tests. */
const MAX_LIFE_MS = 300_000;
const MAX_START_MS = 60_000;

/** A server of one kind in processes of its own, on a port and in a folder that stay the same when it is started again. */
export class OtherServer {
  readonly kind: ServerKind;
  readonly port: number;
  readonly folder: string;
  readonly #maxLifeMs: number;
  #process: ChildProcess | undefined;
  #limit: NodeJS.Timeout | undefined;

  private constructor(kind: ServerKind, port: number, folder: string, maxLifeMs: number) {
    this.kind = kind;
    this.port = port;
    this.folder = folder;
    this.#maxLifeMs = maxLifeMs;
  }

  /** Starts one in an empty folder, and waits until it answers. */
  static async start(kind: ServerKind, maxLifeMs = MAX_LIFE_MS): Promise<OtherServer> {
    const folder = mkdtempSync(join(tmpdir(), `tinkex-${kind.environment}-`));
    symlinkSync(join(SERVER_CACHE, MODEL_NAME), join(folder, MODEL_NAME));
    const server = new OtherServer(kind, await freePort(), folder, maxLifeMs);
    await server.begin();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the server, again where it was killed, and waits until it answers. */
  async begin(): Promise<void> {
    const compiled = join(SERVER_CACHE, "compiled");
    mkdirSync(compiled, { recursive: true });
    const child = spawn(pythonOf(this.kind), [...this.kind.startArguments(this.port, this.folder)], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        HF_HUB_OFFLINE: "1",
        JAX_PLATFORMS: "cpu",
        TOKENIZERS_PARALLELISM: "false",
        // A second start need not compile what the first one has.
        JAX_COMPILATION_CACHE_DIR: compiled,
        JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS: "0",
        JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES: "-1",
      },
    });
    const log = createWriteStream(join(this.folder, "server.log"), { flags: "a" });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#process = child;
    this.#limit = setTimeout(() => this.kill(), this.#maxLifeMs);
    const endsAtMs = Date.now() + MAX_START_MS;
    while (!(await this.#isReady())) {
      if (child.exitCode === null && Date.now() < endsAtMs) await delay(200);
      else throw new Error(`${this.kind.title} did not start:\n${this.log.slice(-3000)}`);
    }
  }

  /** All that the server has printed. */
  get log(): string {
    return readFileSync(join(this.folder, "server.log"), "utf8");
  }

  /** Stops the process that computes, so that the server answers and nothing gets done; `"SIGCONT"` has it go on. */
  signalEngine(signal: "SIGSTOP" | "SIGCONT"): void {
    const { pid } = this.#process ?? {};
    const [engine] = pid === undefined ? [] : childrenOf(pid);
    if (engine === undefined) throw new Error(`${this.kind.title} has no engine process of its own`);
    process.kill(engine, signal);
  }

  /** Kills the server with its engine at once. Its folder stays, and `begin` starts it there again. */
  kill(): void {
    clearTimeout(this.#limit);
    const { pid } = this.#process ?? {};
    this.#process = undefined;
    if (pid === undefined) return;
    for (const one of [...childrenOf(pid), pid]) {
      try {
        process.kill(one, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await delay(200);
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/api/v1/healthz`)).ok;
    } catch {
      return false;
    }
  }
}

/** Gives the ids of the processes that a process has started. Linux alone. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("no port is free"));
        else resolve(address.port);
      });
    });
  });
}
