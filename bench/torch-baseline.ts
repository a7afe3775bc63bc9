import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { TrainingWork } from "./training-work.js";

const script = new URL("./quickstart_torch.py", import.meta.url).pathname;

/** The same work in PyTorch eager, in a process of its own that waits while others are timed. */
export class TorchBaseline {
  readonly #directory: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  /** @param python a Python that can import torch */
  constructor(python: string, work: TrainingWork, threads: number) {
    this.#directory = mkdtempSync(join(tmpdir(), "tinkex-bench-"));
    const { weights, parameters, config, data } = work;
    const time = Math.max(...data.map(({ tokens }) => tokens.length));
    const padded = (numbers: ArrayLike<number>) =>
      Array.from({ length: time }, (_, index) => Number(numbers[index] ?? 0));
    writeFileSync(
      join(this.#directory, "shapes.json"),
      JSON.stringify({
        config,
        threads,
        rank: parameters.shape.rank,
        weights: [...weights].map(([name, { shape }]) => [name, shape]),
        adapter: parameters.pairs.map(({ module, dIn, dOut }) => [module, dIn, dOut]),
        tokens: data.map(({ tokens }) => padded(tokens)),
        targets: data.map(({ targets }) => padded(targets)),
        mask: data.map(({ lossInputs }) => padded(lossInputs.weights ?? [])),
      }),
    );
    const arrays = [
      ...[...weights.values()].map(({ data: numbers }) => numbers),
      ...parameters.pairs.flatMap(({ a, b }) => [a, b]),
    ];
    writeFileSync(
      join(this.#directory, "numbers.bin"),
      Buffer.concat(arrays.map((array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength))),
    );
    this.#child = spawn(python, [script, this.#directory], { stdio: ["pipe", "pipe", "inherit"] });
    this.#answers = createInterface(this.#child.stdout)[Symbol.asyncIterator]();
  }

  /** Loss of the work, and its gradients pair by pair, A before B. */
  async check(): Promise<{ loss: number; gradients: Float32Array; version: string }> {
    const answer = (await this.#ask("check")) as { loss: number; version: string };
    const bytes = readFileSync(join(this.#directory, "gradients.bin"));
    return { ...answer, gradients: new Float32Array(Uint8Array.from(bytes).buffer) };
  }

  /** Milliseconds of each of `passes` forward and backward passes. */
  async time(passes: number): Promise<number[]> {
    return (await this.#ask(`time ${passes}`)) as number[];
  }

  close(): void {
    this.#child.kill();
    rmSync(this.#directory, { recursive: true });
  }

  async #ask(line: string): Promise<unknown> {
    this.#child.stdin.write(`${line}\n`);
    const answer = await this.#answers.next();
    if (answer.done) throw new Error("The Python process ended; its message is above.");
    return JSON.parse(answer.value);
  }
}

/** Whether this Python runs and has torch. */
export function hasTorch(python: string): boolean {
  return spawnSync(python, ["-c", "import torch"], { stdio: "ignore" }).status === 0;
}
