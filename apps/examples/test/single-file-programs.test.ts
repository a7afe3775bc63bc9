import { afterEach, describe, expect, it } from "vitest";
import { ExampleRun, type FinishedRun } from "./run-example.js";

const runs: ExampleRun[] = [];
afterEach(async () => {
  for (const run of runs.splice(0)) await run.dispose();
});

/** Runs a program with fewer steps than it takes by itself; it needs no key, and starts a server of its own. */
async function finished(program: string, steps: number): Promise<FinishedRun> {
  const run = new ExampleRun(["--steps", `${steps}`], {}, { program });
  runs.push(run);
  const result = await run.finish();
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.lines.filter((line) => line.startsWith("step ")).length).toBeGreaterThan(0);
  return result;
}

/** The two numbers of the line `<name>: <before> -> <after>`. */
function change({ stdout }: Pick<FinishedRun, "stdout">, name: string): { before: number; after: number } {
  const line = stdout.split("\n").find((candidate) => candidate.startsWith(`${name}: `));
  const [before = Number.NaN, after = Number.NaN] = (line ?? "")
    .slice(name.length)
    .split("->")
    .map((part) => Number.parseFloat(part.replace(":", "")));
  return { before, after };
}

describe("the program of one file", { timeout: 120_000 }, () => {
  it("chat-fine-tune answers names it was not trained on as it was taught to", async () => {
    const result = await finished("chat-fine-tune.js", 24);
    const loss = change(result, "loss");
    expect(loss.after).toBeLessThan(loss.before / 5);
    expect(change(result, "right greetings").before).toBe(0);
    expect(change(result, "right greetings").after).toBeGreaterThanOrEqual(2);
  });

  it("rl earns more reward with each step", async () => {
    const result = await finished("rl.js", 4);
    const reward = change(result, "mean reward");
    expect(reward.after).toBeGreaterThan(2 * reward.before);
    expect(result.stdout).toMatch(/^weights saved: tinker:\/\/\S+\/weights\/rl$/m);
  });

  it("custom-loss comes to prefer the answers of pairs it was not trained on", async () => {
    const result = await finished("custom-loss.js", 5);
    // -log sigmoid(0): the adapter changes nothing yet.
    expect(change(result, "loss").before).toBeCloseTo(Math.LN2, 3);
    expect(change(result, "loss").after).toBeLessThan(0.4);
    const preferred = change(result, "held-out answers preferred as wished");
    expect(preferred.after).toBeGreaterThanOrEqual(preferred.before + 50);
  });

  it("loss-graph learns the tokens that it did not know, by a loss that the server runs", async () => {
    const result = await finished("loss-graph.js", 6);
    expect(result.lines).toContainEqual(
      expect.stringMatching(/^the loss runs on the service, as \S+:loss:0$/),
    );
    expect(change(result, "loss").after).toBeLessThan(change(result, "loss").before / 2);
    expect(change(result, "tokens known").after).toBeGreaterThan(change(result, "tokens known").before + 25);
  });

  it("checkpoints comes to the same numbers from a checkpoint as without a break", async () => {
    const { stdout } = await finished("checkpoints.js", 2);
    const losses = [
      ...stdout.matchAll(/loss (\d+\.\d+) without|loss (\d+\.\d+) from|, (\d+\.\d+) put back/g),
    ];
    const [straight, fromCheckpoint, putBack] = losses.map((groups) => Number(groups.slice(1).find(Boolean)));
    expect(fromCheckpoint).toBe(straight);
    expect(putBack).toBe(straight);
    expect(stdout).toContain("a copy of the sampler scores the same\n");
    const logprob = change({ stdout }, "log-probability of the text");
    expect(logprob.after).toBeGreaterThan(logprob.before);
  });

  it("survive-restart ends at the loss of a run that nothing has disturbed", async () => {
    const result = await finished("survive-restart.js", 8);
    expect(result.lines).toContain("the server was restarted");
    expect(result.stdout).toMatch(/^step 8 of disturbed: loss \d\.\d+ after 1 recoveries$/m);
    const loss = change(result, "loss");
    expect(loss.after).toBeCloseTo(loss.before, 5);
  });

  it.each([
    "chat-fine-tune.js",
    "rl.js",
    "custom-loss.js",
    "loss-graph.js",
    "checkpoints.js",
    "survive-restart.js",
  ])("%s names an option it does not know", async (program) => {
    const run = new ExampleRun(["--step", "1"], {}, { program });
    runs.push(run);
    const { exitCode, stderr } = await run.finish();
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("--step");
  });

  it("full-flow makes every call from the first to the last, and leaves no checkpoint behind", async () => {
    const run = new ExampleRun(["--steps", "4"], {}, { program: "full-flow.js" });
    runs.push(run);
    const result = await run.finish();
    expect(result.exitCode, result.stderr).toBe(0);
    expect(change(result, "loss").after).toBeLessThan(change(result, "loss").before);
    expect(result.lines).toContain("pruned: ");
    expect(result.stdout).toMatch(/^go on from tinker:\/\/\S+\/weights\/step-3, kept until \d{4}-/m);
    expect(result.stdout).toMatch(/^export: .*adapter_model\.safetensors until \d{4}-/m);
    expect(result.stdout).toContain("isPeftAdapter: true");
    expect(result.stdout).toMatch(/^copy to the client's own project: tinker:/m);
    expect(result.stdout).toContain("user_urn: 'tml:user:local'");
    // The local server has all that the program asks for.
    expect(result.stdout).not.toContain("not here");
    expect(result.lines).toContain("storage now: 0");
    expect(result.lines.at(-1)).toBe("left of the run: 0 checkpoints");
  });
});
