import { systemClock, ValidationError } from "@tinkex/base";
import { failOnUnhandledErrors } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { scriptedSampler, scriptRenderer, scriptTokenizer } from "../testing/scripted-sampler.js";
import { type Episode, singleTurn } from "./episode.js";
import { mapBounded } from "./map-bounded.js";
import { type RolloutOptions, rolloutRules } from "./rollout-options.js";
import type { RolloutRules } from "./rollout-rules.js";
import { runGroup } from "./run-group.js";

const never = new Promise<never>(() => {});

/** Rolls out a group of episodes, numbered by their order, against a model that says yes. */
function roll(
  episodes: (member: number) => Episode,
  more: Partial<RolloutOptions> & Pick<Partial<RolloutRules<string>>, "groupReward" | "signal"> = {},
  groupSize = 4,
) {
  const { groupReward, signal, ...options } = more;
  const warnings: string[] = [];
  let member = -1;
  const loaded = { tokenizer: scriptTokenizer, renderer: () => scriptRenderer };
  const rules = rolloutRules<string>({ maxTokens: 9, ...options }, "rl", loaded, {
    ...{ groupSize, hasSharedPrompt: false, groupReward, clock: systemClock },
    episode: () => {
      member += 1;
      return episodes(member);
    },
    warn: (message) => warnings.push(message),
  });
  const { sampler } = scriptedSampler(new Array(100).fill("yes"));
  return { warnings, group: runGroup("w", "rl: problem 7", 1, { ...rules, sampler, signal }) };
}

it("the reward is told how an answer ended: by its end token, or for want of tokens", async () => {
  const ends: string[] = [];
  const judged = singleTurn<string>(
    () => [{ role: "user", content: "a" }],
    (_, { termination, stopReason }) => {
      ends.push(`${termination} ${stopReason}`);
      return 0;
    },
  );
  await roll(() => judged("w"), {}, 1).group;
  await roll(() => judged("w"), { maxTokens: 1 }, 1).group;
  expect(ends).toEqual(["stop_sequence stop", "malformed length"]);
});

describe("a member that fails", () => {
  it.each([
    ["1", 'the reward must be a finite number, got "1"'],
    [Number.NaN, "the reward must be a finite number, got NaN"],
    [1e300, "the reward must be from -1e+38 to 1e+38, got 1e+300; scale rewards down"],
    [-Number.MAX_VALUE, "the reward must be from -1e+38 to 1e+38"],
  ])("by its reward %j is a fault of what was given, named with its place", async (reward, fault) => {
    const judged = singleTurn<string>(
      () => [{ role: "user", content: "a" }],
      () => reward as number, // as plain JavaScript gives it
    );
    const { group } = roll(() => judged("w"), {}, 1);
    await expect(group).rejects.toBeInstanceOf(ValidationError);
    await expect(group).rejects.toThrow(`rl: problem 7, member 0: ${fault}`);
  });

  it("gives up the others at once, cleaned up, where the group cannot go on without it", async () => {
    let cleanedUp = 0;
    const { group } = roll((member) =>
      (async function* (): Episode {
        try {
          yield "a";
          if (member === 2) throw new Error("no judge");
          yield "b";
          await never;
          return 1;
        } finally {
          cleanedUp += 1;
        }
      })(),
    );
    await expect(group).rejects.toThrow(/^rl: problem 7, member 2: no judge$/);
    // Those that wait for ever cannot run their clean-up; nobody waits for them.
    expect(cleanedUp).toBeGreaterThanOrEqual(1);
  });

  it("is told of by one warning each under the policy continue, and a group whose members all fail is left out", async () => {
    const failing = (count: number) => (member: number) =>
      (async function* (): Episode {
        yield "a";
        if (member < count) throw new Error(`fault ${member}`);
        return member;
      })();
    const two = roll(failing(2), { onFailure: "continue" }, 8);
    expect(await two.group).toHaveLength(6);
    expect(two.warnings.sort()).toEqual([
      "rl: problem 7, member 0: fault 0; the group goes on without it",
      "rl: problem 7, member 1: fault 1; the group goes on without it",
    ]);
    const all = roll(failing(4), { onFailure: "continue" });
    expect(await all.group).toEqual([]);
    expect(all.warnings).toHaveLength(4);
    expect(all.warnings[3]).toMatch(/fault 0; the group is left out$/);
  });

  it("an episode that is no generator, or cannot be made, is named with its member", async () => {
    await expect(roll(() => 1 as never).group).rejects.toThrow(
      /^rl: problem 7, member 0: the episode must be an object, e\.g\. an async generator, got 1$/,
    );
    const throwing = roll(() => {
      throw new Error("no such problem");
    });
    await expect(throwing.group).rejects.toThrow(/^rl: problem 7, member 0: no such problem$/);
  });

  it("an episode that is a generator without async is named with what it throws, and cleaned up", async () => {
    let cleanedUp = 0;
    function* plain() {
      try {
        yield "a";
        throw new Error("no judge");
      } finally {
        cleanedUp += 1;
      }
    }
    await expect(roll(() => plain() as never, {}, 1).group).rejects.toThrow(
      /^rl: problem 7, member 0: no judge$/,
    );
    expect(cleanedUp).toBe(1);
  });

  it.each([
    ["a text", { x: "a" }, 'the reward\'s metrics.x must be a number, got "a"'],
    ["a switch", { x: true }, "the reward's metrics.x must be a number, got true"],
    ["null", { x: null }, "the reward's metrics.x must be a number, got null"],
    ["no record", 3, "the reward's metrics must be an object, e.g. { length: 3 }, got 3"],
  ])("a reward whose metrics hold %s is named with its member", async (_, metrics, fault) => {
    const judged = singleTurn<string>(
      () => "a",
      () => ({ reward: 1, metrics }) as never,
    );
    await expect(roll(() => judged("w"), {}, 1).group).rejects.toThrow(`rl: problem 7, member 0: ${fault}`);
  });
});

describe("groupReward", () => {
  async function* fair(): Episode {
    yield "a";
    return 1;
  }
  it("that throws, is no number or of another length is named, and obeys the policy", async () => {
    const broken = () => {
      throw new Error("no judge");
    };
    await expect(roll(fair, { groupReward: broken }).group).rejects.toThrow(
      /^rl: problem 7: groupReward: no judge$/,
    );
    const none = roll(fair, { groupReward: () => [0, 0, 0, Number.NaN] });
    await expect(none.group).rejects.toThrow(/^rl: problem 7: groupReward: .* finite number, got NaN$/);
    // Each may be sent, and their sum may not: twice as much is an advantage of Infinity in 32 bits.
    const large = singleTurn<string>(
      () => [{ role: "user", content: "a" }],
      () => 1e38,
    );
    const sums = roll(() => large("w"), {
      groupReward: (_, { length }) => new Array<number>(length).fill(1e38),
    });
    await expect(sums.group).rejects.toThrow(
      /groupReward: the reward must be from -1e\+38 to 1e\+38, got 2e\+38/,
    );
    await expect(roll(fair, { groupReward: () => [1] }).group).rejects.toThrow(/must give 4 numbers, got 1/);
    let count = 0;
    const once = roll(fair, {
      onFailure: "retry",
      groupReward: () => {
        count += 1;
        return count === 1 ? (["1", 0, 0, 0] as never) : [1, 0, 0, 0];
      },
    });
    expect((await once.group).map(({ reward }) => reward)).toEqual([2, 1, 1, 1]);
    expect(once.warnings).toEqual([expect.stringMatching(/got "1"; the group is rolled out again$/)]);
    const left = roll(fair, { onFailure: "continue", groupReward: broken });
    expect(await left.group).toEqual([]);
  });

  it("that aborts the run and throws ends no process", async () => {
    failOnUnhandledErrors();
    const stop = new AbortController();
    const groupReward = (): never => {
      stop.abort(new Error("enough"));
      throw new Error("and no judge");
    };
    await expect(roll(fair, { groupReward, signal: stop.signal }).group).rejects.toThrow("enough");
  });

  it("that never settles ends with the signal", async () => {
    const controller = new AbortController();
    const { group } = roll(fair, {
      signal: controller.signal,
      groupReward: () => {
        queueMicrotask(() => controller.abort(new Error("enough")));
        return never;
      },
    });
    await expect(group).rejects.toThrow("enough");
  });
});

describe("mapBounded", () => {
  it("begins things in their order, never more than so many, and gives results in order", async () => {
    let active = 0;
    let most = 0;
    const begun: number[] = [];
    const results = await mapBounded(
      [...Array(20).keys()],
      { concurrency: 3, signal: undefined },
      async (thing) => {
        active += 1;
        most = Math.max(most, active);
        begun.push(thing);
        for (let turn = 0; turn < 20 - thing; turn += 1) await Promise.resolve();
        active -= 1;
        return thing * 2;
      },
    );
    expect(results).toEqual([...Array(20).keys()].map((thing) => thing * 2));
    expect(begun).toEqual([...Array(20).keys()]);
    expect(most).toBe(3);
  });

  it("gives up the others at the first failure, begins no more, and throws it once they have ended", async () => {
    const ended: number[] = [];
    const failing = mapBounded(
      [0, 1, 2, 3],
      { concurrency: 2, signal: undefined },
      async (thing, _, signal) => {
        if (thing === 1) throw new Error("broken");
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        ended.push(thing);
      },
    );
    await expect(failing).rejects.toThrow("broken");
    expect(ended).toEqual([0]);
  });

  it("ends with the reason of the signal", async () => {
    const controller = new AbortController();
    const aborted = mapBounded(
      [1],
      { concurrency: 1, signal: controller.signal },
      async (_thing, _, signal) => {
        controller.abort(new Error("enough"));
        expect(signal.aborted).toBe(true);
      },
    );
    await expect(aborted).rejects.toThrow("enough");
    const early = mapBounded(
      [1],
      { concurrency: 1, signal: AbortSignal.abort(new Error("early")) },
      async () => 1,
    );
    await expect(early).rejects.toThrow("early");
  });
});
