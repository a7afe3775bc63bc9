import { join } from "node:path";
import { FakeClock } from "@tinkex/base/testing";
import { RunReader } from "@tinkex/runs";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { type Episode, type RecipeEvent, rl, type Trajectory } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const problems = ["The name of the ", "We saw a ", "It was the ", "There is a "];
const base = () => ({
  service: service(),
  model: POCKET_MODEL,
  problems,
  rank: 8,
  seed: 1,
  learningRate: 5e-3,
  groupSize: 4,
  groupsPerBatch: 2,
  maxTokens: 4,
  steps: 1,
});
/** Share of the letters of an answer that are an "e". */
const shareOfE = (_: string, reply: { readonly text: string }) =>
  [...reply.text].filter((letter) => letter === "e").length / Math.max(1, reply.text.length);
const prompt = (problem: string) => problem;

async function eventsOf(run: AsyncIterable<RecipeEvent>): Promise<RecipeEvent[]> {
  const events: RecipeEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe("rl", { timeout: 240_000 }, () => {
  it("cookbook 24: the reward rises, sampler and trainer agree, and the rollouts of each step are written", async () => {
    const runDirectory = join(temporaryDirectory(), "run");
    const run = rl({
      ...base(),
      groupSize: 8,
      groupsPerBatch: 4,
      maxTokens: 6,
      steps: 5,
      prompt,
      reward: shareOfE,
      runDirectory,
    });
    const { checkpoint, steps, sampler } = await run;
    expect([steps, checkpoint.name]).toEqual([5, "final"]);
    expect(sampler.baseModel).toBe(POCKET_MODEL);
    const reader = new RunReader(runDirectory);
    const rows = await reader.metrics();
    const rewards = rows.map((row) => Number(row["env/all/reward/total"]));
    expect(rewards[4]).toBeGreaterThan(Number(rewards[0]) + 0.2);
    expect(Math.abs(Number(rows[0]?.["optim/kl_sample_train_v1"]))).toBeLessThan(1e-4);
    expect(rows[3]).toMatchObject({
      "progress/batch": 3,
      "sampling_client/step_mean": 3,
      "env/all/total_episodes": 32,
    });
    const summaries = await reader.rollouts(4);
    expect(summaries).toHaveLength(32);
    const [logged] = await reader.rolloutTokens(0);
    expect(problems.some((text) => logged?.pieces.join("").startsWith(text.slice(1)))).toBe(true);
    expect(logged?.mask.filter((is) => is === 1)).toHaveLength(6);
    expect(logged?.advantages).toHaveLength(logged?.tokens.length ?? -1);
  });

  it("a run that is stopped goes on to the same rewards", async () => {
    const folder = temporaryDirectory();
    const options = (name: string) => ({
      ...base(),
      steps: 3,
      saveEvery: 1,
      prompt,
      reward: shareOfE,
      runDirectory: join(folder, name),
    });
    await rl(options("whole"));
    const controller = new AbortController();
    const onMetrics = (step: number) => {
      if (step === 1) controller.abort();
    };
    await expect(rl({ ...options("broken"), signal: controller.signal, onMetrics })).rejects.toThrow();
    await rl(options("broken"));
    const [whole, broken] = await Promise.all(
      ["whole", "broken"].map((name) => new RunReader(join(folder, name)).metrics()),
    );
    expect(broken?.map(({ step }) => step)).toEqual([0, 1, 2]);
    for (const name of ["env/all/reward/total", "optim/entropy", "optim/lr"]) {
      for (const step of [0, 1, 2])
        expect(broken?.[step]?.[name]).toBeCloseTo(Number(whole?.[step]?.[name]), 6);
    }
  });

  it("sends no step where the rewards of every group are equal, says so, and goes on with the schedule", async () => {
    const calls: string[] = [];
    const spy = spiedService(service(), (call) => calls.push(call));
    const events = await eventsOf(
      rl({ ...base(), service: spy, steps: 2, schedule: "linear", prompt, reward: () => 1 }),
    );
    expect(calls.filter((call) => call === "forwardBackward" || call === "optimStep")).toEqual([]);
    const metrics = events.flatMap((event) => (event.type === "step" ? [event.metrics] : []));
    expect(metrics.map((row) => [row["optim/skipped"], row["groups/dropped"], row["optim/lr"]])).toEqual([
      [1, 2, 5e-3],
      [1, 2, 2.5e-3],
    ]);
    expect(metrics[0]?.["env/all/by_group/frac_all_good"]).toBe(1);
  });

  it("samples with the weights of the step before, and no older ones", async () => {
    const calls: string[] = [];
    const wanted = ["saveWeightsAndGetSamplingClient", "forwardBackward", "optimStep", "saveState"];
    const spy = spiedService(service(), (call) => {
      if (wanted.includes(call)) calls.push(call);
    });
    await rl({ ...base(), service: spy, steps: 2, saveEvery: 1, prompt, reward: shareOfE });
    expect(calls).toEqual([...wanted, ...wanted]);
  });

  it("adds what groupReward makes of the members of a group, which all answer one problem", async () => {
    const groups: (readonly [string, number])[] = [];
    const events = await eventsOf(
      rl({
        ...base(),
        prompt,
        reward: () => 0,
        groupReward: (problem, members) => {
          groups.push([problem, members.length]);
          return members.map((_, index) => index);
        },
      }),
    );
    expect(groups.map(([, size]) => size)).toEqual([4, 4]);
    expect(new Set(groups.map(([problem]) => problem)).size).toBe(2);
    expect(events.find((event) => event.type === "step")?.metrics["env/all/reward/total"]).toBe(1.5);
  });
});

describe("an episode", { timeout: 240_000 }, () => {
  it("yields what the model sees next and is given the reply; a trajectory is one datum of the sampled ids, cleaned up once", async () => {
    let cleanedUp = 0;
    const replies: Trajectory["replies"][] = [];
    async function* twoTurns(problem: string): Episode {
      try {
        const first = yield problem;
        const second = yield " And";
        return { reward: second.text.length % 3, metrics: { first: first.tokens.length } };
      } finally {
        cleanedUp += 1;
      }
    }
    const data: { readonly model_input: unknown }[][] = [];
    const spy = spiedService(service(), (call, [list]) => {
      if (call === "forwardBackward") data.push(list as { readonly model_input: unknown }[]);
    });
    const transitions: Trajectory["transitions"][] = [];
    const groupReward = (_: string, members: readonly Trajectory[]) => {
      for (const member of members) {
        transitions.push(member.transitions);
        replies.push(member.replies);
      }
      return members.map((_, index) => index / 10);
    };
    const events = await eventsOf(rl({ ...base(), service: spy, episode: twoTurns, groupReward }));
    expect(cleanedUp).toBe(8);
    expect(data[0]).toHaveLength(8);
    for (const [first, second] of transitions) {
      const shown = second?.prompt as unknown as { chunks: { tokens: number[] }[] };
      const head = first?.prompt as unknown as { chunks: { tokens: number[] }[] };
      const before = [...(head.chunks[0]?.tokens ?? []), ...(first?.tokens ?? [])];
      expect(shown.chunks[0]?.tokens.slice(0, before.length)).toEqual(before);
    }
    expect(replies[0]?.[0]).toMatchObject({
      termination: "malformed",
      stopReason: "length",
      message: undefined,
    });
    const step = events.find((event) => event.type === "step");
    expect(step?.metrics).toMatchObject({
      "env/all/turns_per_episode": 2,
      "env/all/first": 4,
      "stop/length": 1,
    });
  });

  it("of messages keeps the ids that were sampled, and its replies have a message and say how they ended", async () => {
    const seen: boolean[] = [];
    async function* asked(problem: string): Episode {
      const first = yield [{ role: "user", content: problem }];
      seen.push(first.message?.role === "assistant");
      const second = yield [{ role: "user", content: "Again." }];
      return second.text.length;
    }
    const { metrics } = await rl({ ...base(), episode: asked });
    expect(seen).toEqual(new Array(8).fill(true));
    expect(metrics["env/all/turns_per_episode"]).toBe(2);
  });
});

describe("a member that fails", { timeout: 240_000 }, () => {
  const failing = (
    onFailure: "fail" | "retry" | "continue",
    reward: (count: number) => number | Promise<number>,
  ) => {
    let count = 0;
    return eventsOf(
      rl({
        ...base(),
        groupsPerBatch: 1,
        problems: ["We saw a "],
        onFailure,
        prompt,
        reward: () => {
          count += 1;
          return reward(count);
        },
      }),
    );
  };

  it("cookbook 25: a reward that is no number, or throws, is named with its problem and member", async () => {
    await expect(failing("fail", (count) => (count === 2 ? Number.NaN : 0))).rejects.toThrow(
      /^rl: problem 0 of step 0, member [0-3]: the reward must be a finite number, got NaN$/,
    );
    await expect(failing("fail", () => "much" as never)).rejects.toThrow(
      /must be a finite number, got "much"/,
    );
    const broken = failing("fail", () => {
      throw new Error("no judge");
    });
    await expect(broken).rejects.toThrow(/member [0-3]: no judge$/);
  });

  it("cookbook 25: is rolled out again under the policy retry, and left out under continue while three of four are left", async () => {
    const retried = await failing("retry", (count) => (count === 4 ? Number.NaN : count));
    expect(retried.filter(({ type }) => type === "warning")).toHaveLength(1);
    expect(retried.find((event) => event.type === "step")?.metrics["env/all/total_episodes"]).toBe(4);
    await expect(failing("retry", () => Number.NaN)).rejects.toThrow(/finite number/);
    const three = await failing("continue", (count) => (count === 1 ? Number.NaN : count));
    expect(three.find((event) => event.type === "step")?.metrics["env/all/total_episodes"]).toBe(3);
    const two = await failing("continue", (count) => (count < 3 ? Number.NaN : count));
    const step = two.find((event) => event.type === "step");
    expect(step?.metrics).toMatchObject({ "groups/dropped": 1, "optim/skipped": 1 });
  });

  it("cookbook 25: a reward that never settles ends with its time limit, and its episode is cleaned up", async () => {
    const clock = new FakeClock({ startMs: 0 });
    const never = new Promise<number>(() => {});
    const hung = rl({
      ...base(),
      groupsPerBatch: 1,
      clock,
      timeLimitMs: 5_000,
      prompt,
      reward: () => {
        void clock.advance(5_000);
        return never;
      },
    });
    await expect(hung).rejects.toThrow(
      /^rl: problem 0 of step 0, member [0-3]: the episode took longer than 5000 ms$/,
    );
  });

  it("cookbook 25: an abort ends the run at once, and cleans up every episode", async () => {
    const controller = new AbortController();
    let cleanedUp = 0;
    async function* waiting(problem: string): Episode {
      try {
        yield problem;
        controller.abort(new Error("enough"));
        yield " and";
        return 1;
      } finally {
        cleanedUp += 1;
      }
    }
    await expect(rl({ ...base(), episode: waiting, signal: controller.signal })).rejects.toThrow();
    await expect.poll(() => cleanedUp).toBe(8);
  });
});

it("options that cannot be trained with are refused at the call", () => {
  const good = { ...base(), prompt, reward: shareOfE };
  expect(() => rl({ ...good, groupSize: 1 })).toThrow(/rl: groupSize must be a whole number from 2, got 1/);
  expect(() => rl({ ...good, episode: () => 1 } as never)).toThrow(
    /give prompt and reward, or episode, not both/,
  );
  expect(() => rl({ ...good, onFailure: "ignore" } as never)).toThrow(
    /onFailure must be "fail", "retry" or "continue"/,
  );
  expect(() => rl({ ...good, reward: undefined } as never)).toThrow(/rl: reward must be a function/);
});
