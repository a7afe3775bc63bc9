import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAMS = join(import.meta.dirname, "..", "dist");

/** Set in the environment of the tests themselves, or meant for a service; the program must not see them. */
const CLEARED = ["TINKER_API_KEY", "TINKER_BASE_URL", "NO_COLOR", "FORCE_COLOR", "CI"];

export interface FinishedRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Lines of standard output, the empty end left out. */
  readonly lines: readonly string[];
}

export interface ExampleRunOptions {
  /** Which example runs. @defaultValue "quickstart.js" */
  readonly program?: string;
  /** Whether standard output is a pseudo-terminal. @defaultValue false, a pipe */
  readonly terminal?: boolean;
}

/** A built example as a process of its own, in a process group and a folder of its own. */
export class ExampleRun {
  readonly folder: string = mkdtempSync(join(tmpdir(), "tinkex-quickstart-"));
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #stdout = "";
  #stderr = "";

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    options: ExampleRunOptions = {},
  ) {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !CLEARED.includes(name)));
    const program = join(PROGRAMS, options.program ?? "quickstart.js");
    const command = [process.execPath, program, ...args];
    // `script` gives a program a pseudo-terminal and copies what it writes there.
    const [file = "", ...rest] =
      options.terminal === true ? ["script", "-qec", command.join(" "), "/dev/null"] : command;
    this.#child = spawn(file, rest, {
      cwd: this.folder,
      env: { ...clean, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#closed = once(this.#child, "close");
    this.#child.stdout?.on("data", (chunk) => {
      this.#stdout += chunk;
    });
    this.#child.stderr?.on("data", (chunk) => {
      this.#stderr += chunk;
    });
  }

  /** The id of the process and of its group. */
  get processId(): number {
    if (this.#child.pid === undefined) throw new Error("the example did not start");
    return this.#child.pid;
  }

  /** Resolves when standard output has a line that matches. */
  async waitFor(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.#stdout)) {
      if (this.#child.exitCode !== null) throw new Error(`ended early:\n${this.#stdout}${this.#stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** What Ctrl-C does: the signal reaches every process of the group. */
  interrupt(): void {
    process.kill(-this.processId, "SIGINT");
  }

  async finish(): Promise<FinishedRun> {
    await this.#closed;
    const lines = this.#stdout.trimEnd().split("\n");
    return { exitCode: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr, lines };
  }

  /** Ends what is left of the process group and removes the folder. */
  async dispose(): Promise<void> {
    try {
      process.kill(-this.processId, "SIGKILL");
    } catch {
      // Nothing was left, as it should be.
    }
    await this.#closed;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
