import { type ChildProcess, spawn } from "node:child_process";

/** Waits this long for a program to say that it is ready. */
const MAX_START_MS = 60_000;

/** A program that runs beside a test until it is stopped. */
export class BackgroundProgram {
  readonly #child: ChildProcess;
  #output = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    const keep = (chunk: Buffer) => {
      this.#output += chunk.toString("utf8");
    };
    child.stdout?.on("data", keep);
    child.stderr?.on("data", keep);
  }

  /** Starts a Node program, and waits until its output holds a match of `ready`; returns the match's first group. */
  static async start(
    args: readonly string[],
    options: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly ready: RegExp },
  ): Promise<{ readonly program: BackgroundProgram; readonly found: string }> {
    const child = spawn(process.execPath, [...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const program = new BackgroundProgram(child);
    const deadline = Date.now() + MAX_START_MS;
    while (Date.now() < deadline && child.exitCode === null) {
      const found = options.ready.exec(program.#output);
      if (found !== null) return { program, found: found[1] ?? "" };
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await program.stop();
    throw new Error(`${args[0]} did not become ready:\n${program.#output}`);
  }

  /** Ends the program and waits until it has gone. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await gone;
    clearTimeout(force);
  }
}
