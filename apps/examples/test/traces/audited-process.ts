import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Every folder that a program may take for its user's own, by the variable that names it; all are empty at the start. */
const FOLDERS = {
  HOME: "home",
  XDG_CACHE_HOME: "xdg-cache",
  XDG_CONFIG_HOME: "xdg-config",
  XDG_DATA_HOME: "xdg-data",
  XDG_STATE_HOME: "xdg-state",
  XDG_RUNTIME_DIR: "xdg-runtime",
  TMPDIR: "tmp",
} as const;

export interface AuditedRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What lies in the folders above and in the working folder afterwards, e.g. `home/.cache/x`. */
  readonly files: readonly string[];
  /** Attempts to reach hosts beyond loopback, which were refused; undefined where nothing could watch them. */
  readonly connections: readonly string[] | undefined;
}

/** Runs programs of Node in an environment that holds nothing but {@link FOLDERS}, and tells what they left and whom they called. */
export class Auditor {
  readonly #folder = mkdtempSync(join(tmpdir(), "tinkex-audit-"));
  readonly #watcher = buildWatcher(this.#folder);
  #runs = 0;

  /** Whether attempts to connect are seen on this machine: that takes Linux and a C compiler. */
  get seesConnections(): boolean {
    return this.#watcher !== undefined;
  }

  async run(args: readonly string[], cwd?: string): Promise<AuditedRun> {
    const folder = join(this.#folder, `run-${++this.#runs}`);
    const log = join(this.#folder, `connections-${this.#runs}.log`);
    const folders = Object.entries(FOLDERS).map(([name, path]) => [name, join(folder, path)] as const);
    const working = join(folder, "working");
    for (const path of [working, ...folders.map(([, path]) => path)])
      mkdirSync(path, { recursive: true, mode: 0o700 });
    const child = spawn(process.execPath, args, {
      cwd: cwd ?? working,
      env: {
        PATH: process.env.PATH,
        NO_COLOR: "1",
        ...Object.fromEntries(folders),
        ...(this.#watcher && { LD_PRELOAD: this.#watcher, CONNECTIONS_LOG: log }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk) => {
      output.stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output.stderr += chunk;
    });
    await once(child, "close");
    const connections = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    return {
      exitCode: child.exitCode,
      ...output,
      files: filesBelow(folder),
      connections: this.#watcher ? connections : undefined,
    };
  }

  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** The library that is loaded before all others, or nothing where it cannot be made. */
function buildWatcher(folder: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  const library = join(folder, "connections.so");
  const source = join(import.meta.dirname, "connections.c");
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "pipe" });
    return library;
  } catch {
    return undefined;
  }
}
