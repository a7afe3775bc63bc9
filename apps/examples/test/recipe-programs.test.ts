import { describe, expect, it, onTestFinished } from "vitest";
import { ExampleRun } from "./run-example.js";

/** Seeds of the full form, by `pnpm examples --seeds 3`: all steps, and the figures that they reach. A few steps of seed 1 without. */
const seedCount = Number(process.env.TINKEX_EXAMPLE_SEEDS ?? 0);
const isFull = seedCount > 0;
const seeds = Array.from({ length: Math.max(1, seedCount) }, (_, index) => index + 1);

/** Output of a program that has ended well. */
class Output {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The numbers of the line `<name>: 0.49 -> 0.93`. */
  change(name: string): { readonly before: number; readonly after: number } {
    const [before = Number.NaN, after = Number.NaN] = this.#line(name)
      .split("->")
      .map((part) => Number.parseFloat(part));
    return { before, after };
  }

  number(name: string): number {
    return Number.parseFloat(this.#line(name));
  }

  #line(name: string): string {
    const line = this.text.split("\n").find((candidate) => candidate.startsWith(`${name}: `));
    if (line === undefined) throw new Error(`no line of ${name} in\n${this.text}`);
    return line.slice(name.length + 2);
  }
}

async function run(program: string, seed: number, steps: number | undefined): Promise<Output> {
  const args = ["--seed", String(seed), ...(steps === undefined ? [] : ["--steps", String(steps)])];
  const example = new ExampleRun(args, {}, { program: `${program}.js` });
  onTestFinished(() => example.dispose());
  const { exitCode, stderr, stdout } = await example.finish();
  expect(exitCode, stderr).toBe(0);
  return new Output(stdout);
}

const KL = "sampler against trainer before the first update";

describe.each(seeds)("with seed %i, the program", { timeout: 900_000 }, (seed) => {
  it("rl-pig-latin comes closer to Pig Latin by its reward alone", async () => {
    const output = await run("rl-pig-latin", seed, isFull ? undefined : 3);
    const { before, after } = output.change("mean reward");
    expect(before).toBeGreaterThan(0.3);
    expect(Math.abs(output.number(KL))).toBeLessThan(1e-4);
    if (isFull) expect(after - before).toBeGreaterThanOrEqual(0.25);
  });

  it("preferences puts pairs in the right order, from the base model and from a supervised checkpoint", async () => {
    const output = await run("preferences", seed, isFull ? undefined : 2);
    for (const name of ["base", "supervised"]) {
      expect(output.number(`${name}: ${KL}`)).toBeLessThan(1e-4);
      const [loss, accuracy] = [output.change(`${name}: loss`), output.change(`${name}: accuracy`)];
      expect(loss.after).toBeLessThan(isFull ? 0.2 : Math.LN2);
      expect(accuracy.after).toBeGreaterThanOrEqual(isFull ? 0.95 : 0.4);
    }
  });

  it("supervised-chat goes on where it was stopped, and answers words that it was not trained on", async () => {
    const output = await run("supervised-chat", seed, isFull ? undefined : 2);
    expect(output.text).toMatch(/^stopped behind step [0-9]+$/m);
    expect(output.text).toMatch(/^goes on at step [0-9]+ of [0-9]+$/m);
    const { before, after } = output.change("held-out exact match");
    expect(before).toBe(0);
    expect(after).toBeGreaterThanOrEqual(isFull ? 0.5 : 0);
  });

  it("many-prompts has every answer in its place, and nothing left", async () => {
    const count = isFull ? 1000 : 60;
    const output = await run("many-prompts", seed, count);
    expect(output.text).toContain(`answers: ${count}, ${count} in their places\n`);
    expect(output.number("left")).toBe(0);
  });

  it("crash-recovery comes to the loss of a run that nothing has disturbed", async () => {
    const output = await run("crash-recovery", seed, isFull ? undefined : 5);
    expect(output.text).toMatch(/^ended by SIGKILL behind step [0-9]+$/m);
    const [, whole = "", again = "-"] =
      /^loss: ([0-9.]+) undisturbed, ([0-9.]+) after the crash$/m.exec(output.text) ?? [];
    expect(Number(again)).toBeCloseTo(Number(whole), 6);
    const steps = /^steps written: ([0-9 ]+)$/m.exec(output.text)?.[1]?.split(" ").map(Number);
    expect(steps).toEqual(steps?.map((_, index) => index));
  });
});
