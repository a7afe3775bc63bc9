import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterEach, describe, expect, it } from "vitest";
import { BUNDLED_DATA } from "../src/quickstart/options.js";
import { ExampleRun, type ExampleRunOptions, type FinishedRun } from "./run-example.js";

const runs: ExampleRun[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.dispose();
});

function start(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  options: ExampleRunOptions = {},
): ExampleRun {
  const run = new ExampleRun(args, env, options);
  runs.push(run);
  return run;
}

const data = temporaryDirectory();

/** Asks for the first held-out words alone: answers to all hundred, twice, take as long as twenty steps. */
function firstHeldOut(count: number): readonly string[] {
  const file = join(data, `held-out-${count}.jsonl`);
  const lines = readFileSync(BUNDLED_DATA.heldOut, "utf8").trim().split("\n").slice(0, count);
  expect(lines).toHaveLength(count);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return ["--held-out", file];
}

/** Enough to see the program work, not to learn. */
const SHORT = ["--steps", "3", ...firstHeldOut(2)];

/** Enough to see the bar move and end. */
const DRAWN = ["--steps", "2", ...firstHeldOut(1)];

let firstShort: Promise<FinishedRun> | undefined;

/** The first run of the short form, on the native runtime, beside which several tests put another. */
function shortRun(): Promise<FinishedRun> {
  firstShort ??= start([...SHORT, "--runtime", "native"]).finish();
  return firstShort;
}

/** Half of the usual steps, which suffice to learn, and a quarter of the words, which suffice to see it; the full form asks for all of them with the first seed. */
const HALF = ["--steps", "30", ...firstHeldOut(25)];

const RESULT = /^held-out exact match: (\d+\.\d) % -> (\d+\.\d) %$/;

/** Exact match before and after, from the last line but one. */
function exactMatch({ lines, stderr }: FinishedRun): { before: number; after: number } {
  const match = RESULT.exec(lines.at(-2) ?? "");
  if (match === null) throw new Error(`no result line:\n${lines.join("\n")}\n${stderr}`);
  return { before: Number(match[1]), after: Number(match[2]) };
}

/** All numbers that must be the same twice: losses and results, without times. */
function numbers({ stdout }: FinishedRun): readonly string[] {
  return stdout.match(/loss \d+\.\d+|held-out exact match: .*/g) ?? [];
}

/** `TINKEX_QUICKSTART=full` trains by the default steps, with three seeds, and until it has learnt on the wasm runtime too. */
const isFull = process.env.TINKEX_QUICKSTART === "full";

const RUNS: readonly (readonly [seed: number, steps: string, args: readonly string[]])[] = isFull
  ? [
      [1, "the default steps", []],
      [2, "half of them", HALF],
      [3, "half of them", HALF],
    ]
  : [[1, "half of the default steps", HALF]];

/** Losses that the lines of the steps tell, in order. */
const losses = ({ stdout }: FinishedRun): number[] =>
  Array.from(stdout.matchAll(/^step \d+\/\d+ {2}loss (\d+\.\d+)/gm), ([, loss]) => Number(loss));

describe("the quickstart without a terminal", () => {
  it.each(RUNS)("learns Pig Latin with seed %i in %s", { timeout: 120_000 }, async (seed, _, args) => {
    const result = await start([...args, "--seed", `${seed}`]).finish();
    const { before, after } = exactMatch(result);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(before).toBeLessThan(5);
    expect(after).toBeGreaterThan(80);
    expect(result.lines.at(-1)).toMatch(/tinker:\/\/\S+\/weights\/\S+$/);
    expect(result.stdout).toMatch(/^step \d+\/\d+ {2}loss \d+\.\d{3} {2}[\d,]+ tokens\/s {2}\d+ s left$/m);
    expect(result.stdout, "plain lines have no escape sequences").not.toContain("\u001b");
  });

  it("trains on the wasm runtime too, to the losses of the native one", { timeout: 240_000 }, async () => {
    const wasm = await start([...SHORT, "--runtime", "wasm"]).finish();
    expect(wasm.stdout).toContain("wasm");
    const native = losses(await shortRun());
    expect(native.length).toBeGreaterThan(1);
    for (const [index, loss] of losses(wasm).entries()) expect(loss).toBeCloseTo(native[index] ?? 0, 2);
    expect(losses(wasm)).toHaveLength(native.length);
  });

  it.runIf(isFull)("learns it on the wasm runtime too", { timeout: 240_000 }, async () => {
    const result = await start([...HALF, "--runtime", "wasm"]).finish();
    const { before, after } = exactMatch(result);
    expect(before).toBeLessThan(5);
    expect(after).toBeGreaterThan(80);
    expect(result.stdout).toContain("wasm");
  });

  it("gives the same numbers twice for one seed", { timeout: 240_000 }, async () => {
    const first = numbers(await shortRun());
    const second = numbers(await start([...SHORT, "--runtime", "native"]).finish());
    expect(first.length).toBeGreaterThan(3);
    expect(second).toEqual(first);
    const other = numbers(await start([...SHORT, "--runtime", "native", "--seed", "2"]).finish());
    expect(other).toHaveLength(first.length);
    expect(other).not.toEqual(first);
  });
});

/** Files that only a save under way, or one that was cut off, leaves in a data directory. */
function unfinishedFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => /\.part(ial)?$|\/(staging|retired)\//.test(file));
}

describe("Ctrl-C", () => {
  it.each([
    ["before it trains", /^local server at/m, 0, []],
    ["while it trains", /^step \d+/m, 0, firstHeldOut(6)],
    ["while it saves", /^loss per word/m, 150, ["--steps", "3", ...firstHeldOut(25)]],
  ])(
    "%s ends with 130, no process and no half-written checkpoint",
    {
      timeout: 120_000,
    },
    async (_, moment, laterMs, args) => {
      const run = start(args);
      await run.waitFor(moment);
      await new Promise((resolve) => setTimeout(resolve, laterMs));
      run.interrupt();
      const { exitCode, stderr } = await run.finish();
      expect(exitCode, stderr).toBe(130);
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(() => process.kill(-run.processId, 0)).toThrow("ESRCH");
      expect(unfinishedFiles(run.folder)).toEqual([]);
    },
  );
});

/** What switches a terminal to cyan. */
const CYAN = "\u001b[36m";

describe("on a terminal", () => {
  it("draws a bar in colour, and in none with NO_COLOR", { timeout: 240_000 }, async () => {
    const coloured = await start(DRAWN, {}, { terminal: true }).finish();
    expect(coloured.stdout).toContain(`${CYAN}█`);
    expect(coloured.stdout).toMatch(/2\/2 .*loss \d+\.\d{3} .*tokens\/s .*0 s left/);
    const plain = await start(DRAWN, { NO_COLOR: "1" }, { terminal: true }).finish();
    expect(plain.stdout).toMatch(/█+/);
    expect(plain.stdout).not.toContain(CYAN);
  });
});

describe("a mistake of the user's is one line and exit code 1", () => {
  async function failsWith(
    pattern: RegExp,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ) {
    const { exitCode, stderr } = await start(args, env).finish();
    expect(stderr.trimEnd()).toMatch(pattern);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(exitCode).toBe(1);
  }

  it("a used port", async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, "127.0.0.1", resolve));
    const address = blocker.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    await failsWith(new RegExp(`^error: .*\\b${port}\\b.* in use`), ["--port", `${port}`]);
    blocker.close();
  }, 30_000);

  it("a bad key, whose value is not shown", async () => {
    const key = "not-a-key-0123456789";
    await failsWith(/^error: (?!.*not-a-key).*TINKER_API_KEY/, [], { TINKER_API_KEY: key });
  }, 30_000);

  it("a service that cannot be reached", async () => {
    await failsWith(/^error: .*127\.0\.0\.1:9\b.*TINKER_BASE_URL/, [], {
      TINKER_BASE_URL: "http://127.0.0.1:9",
    });
  }, 60_000);

  it("a data file that is not there", async () => {
    const file = join("nowhere", "train.jsonl");
    await failsWith(/^error: cannot read the data file nowhere/, ["--train", file]);
  }, 30_000);
});
