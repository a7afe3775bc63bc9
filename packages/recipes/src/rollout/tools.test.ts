import { systemClock } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { describe, expect, it } from "vitest";
import { scriptedSampler, scriptRenderer, scriptTokenizer } from "../testing/scripted-sampler.js";
import type { Episode } from "./episode.js";
import { type RolloutOptions, rolloutRules } from "./rollout-options.js";
import type { RolloutRules, Trajectory } from "./rollout-rules.js";
import { runGroup } from "./run-group.js";
import { checkTools, type StandardToolSchema, type Tools } from "./tool.js";

const call = (name: string, input: unknown): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;
const schema = { type: "object", properties: { word: { type: "string" } } };
const words: Tools = {
  double: {
    description: "Says a word twice.",
    inputSchema: schema,
    execute: ({ word }) => `${word}${word}`,
  },
  length: {
    description: "Counts letters.",
    inputSchema: schema,
    execute: ({ word }) => ({ n: String(word).length }),
  },
};
const ask = [{ role: "user", content: "Use your tools." }];

async function* once(): Episode {
  const reply = yield ask;
  return reply.toolResults.length;
}

/** Plays one episode against written answers. */
async function play(
  answers: readonly (string | Error)[],
  more: Partial<RolloutOptions> & { episode?: () => Episode; clock?: RolloutRules<string>["clock"] } = {},
): Promise<{ member: Trajectory; prompts: readonly string[] }> {
  const { episode = once, clock = systemClock, ...options } = more;
  const { sampler, prompts } = scriptedSampler(answers);
  const loaded = { tokenizer: scriptTokenizer, renderer: () => scriptRenderer };
  const rules = rolloutRules<string>({ maxTokens: 200, tools: words, ...options }, "rl", loaded, {
    ...{ groupSize: 1, hasSharedPrompt: false, groupReward: undefined, episode, clock },
    warn: () => {},
  });
  const [member] = await runGroup("w", "rl: problem 0", 1, { ...rules, sampler, signal: undefined });
  if (member === undefined) throw new Error("no member");
  return { member, prompts };
}

const resultsOf = ({ replies }: Trajectory) => replies.at(-1)?.text;

describe("tools", () => {
  it("cookbook 26: calls of one message run at the same time and are answered in the order in which they were made", async () => {
    const began: string[] = [];
    let letSlowGo = (): void => {};
    const slow = new Promise<void>((resolve) => {
      letSlowGo = resolve;
    });
    const tools: Tools = {
      slow: {
        description: "s",
        inputSchema: schema,
        execute: async () => {
          began.push("slow");
          await slow;
          return "first";
        },
      },
      fast: {
        description: "f",
        inputSchema: schema,
        execute: () => {
          began.push("fast");
          // The first can only end once the second has begun.
          letSlowGo();
          return "second";
        },
      },
    };
    const { member, prompts } = await play([`${call("slow", {})}\n${call("fast", {})}`, "done"], { tools });
    expect(began).toEqual(["slow", "fast"]);
    expect(member.reward).toBe(2);
    const shown = prompts[1] ?? "";
    expect(shown.indexOf("first")).toBeGreaterThan(0);
    expect(shown.indexOf("second")).toBeGreaterThan(shown.indexOf("first"));
    expect(member.replies.map(({ toolCalls }) => toolCalls.length)).toEqual([2, 0]);
    expect(resultsOf(member)).toBe("done");
  });

  it("the model is told of its tools in front of what it is asked, and what it wrote is kept as it was sampled", async () => {
    const { member, prompts } = await play([call("length", { word: "abc" }), "3"]);
    expect(prompts[0]).toContain('"name": "double"');
    expect(prompts[0]?.indexOf("Use your tools.")).toBeGreaterThan(prompts[0]?.indexOf("<tools>") ?? 0);
    expect(prompts[1]).toContain('{"n":3}');
    const [first, second] = member.transitions.map(({ prompt, tokens }) => ({
      prompt:
        "chunks" in prompt
          ? prompt.chunks.flatMap((chunk) => ("tokens" in chunk ? [...chunk.tokens] : []))
          : [],
      tokens,
    }));
    const before = [...(first?.prompt ?? []), ...(first?.tokens ?? [])];
    expect(second?.prompt.slice(0, before.length)).toEqual(before);
  });

  it.each([
    ["an unknown tool", call("triple", {}), /Error: there is no tool "triple"; there are double, length/],
    ["a name of every object", call("constructor", {}), /there is no tool "constructor"/],
    ["no JSON", "<tool_call>\n{nonsense\n</tool_call>", /Error: the call could not be read/],
    ["arguments that are no object", call("double", [1]), /Error: /],
  ])("cookbook 26: %s is a message to the model, which goes on", async (_, answer, told) => {
    const { member, prompts } = await play([answer, "I see"]);
    expect(prompts[1]).toMatch(told);
    expect(resultsOf(member)).toBe("I see");
  });

  it("cookbook 26: a tool that throws, or whose time is over, is a message to the model; the others are answered", async () => {
    const clock = new FakeClock({ startMs: 0 });
    let signal: AbortSignal | undefined;
    const tools: Tools = {
      ...words,
      broken: {
        description: "b",
        inputSchema: schema,
        execute: () => {
          throw new Error("no network");
        },
      },
      hung: {
        description: "h",
        inputSchema: schema,
        timeoutMs: 50,
        execute: (_, context) => {
          signal = context.signal;
          void clock.advance(50);
          return new Promise(() => {});
        },
      },
    };
    const calls = [call("broken", {}), call("hung", {}), call("double", { word: "ab" })].join("\n");
    const { member, prompts } = await play([calls, "well"], { tools, clock });
    expect(prompts[1]).toContain("Error: no network");
    expect(prompts[1]).toContain("Error: the tool hung took longer than 50 ms");
    expect(prompts[1]).toContain("abab");
    expect(member.reward).toBe(3);
    // It is told, so that it need not go on for nobody; the episode goes on.
    expect(signal?.aborted).toBe(true);
    expect(String(signal?.reason)).toContain("the tool hung took longer than 50 ms");
  });

  it("a tool without a limit of its own that never settles ends with the time of the episode, named with its problem", async () => {
    const clock = new FakeClock({ startMs: 0 });
    let signal: AbortSignal | undefined;
    const tools: Tools = {
      hung: {
        description: "h",
        inputSchema: schema,
        execute: (_, context) => {
          signal = context.signal;
          void clock.advance(1000);
          return new Promise(() => {});
        },
      },
    };
    const hung = play([call("hung", {})], { tools, clock, timeLimitMs: 1000 });
    await expect(hung).rejects.toThrow(/^rl: problem 0, member 0: the episode took longer than 1000 ms$/);
    expect(signal?.aborted).toBe(true);
  });

  it("arguments are checked by a Standard Schema, whose JSON Schema the model is shown", async () => {
    const inputSchema: StandardToolSchema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value) =>
          typeof (value as { n?: unknown }).n === "number"
            ? { value: { n: Number((value as { n: number }).n) + 1 } }
            : { issues: [{ message: "n must be a number" }] },
        jsonSchema: { input: () => ({ type: "object", properties: { n: { type: "number" } } }) },
      },
    };
    const tools: Tools = { next: { description: "n", inputSchema, execute: ({ n }) => String(n) } };
    const { prompts } = await play([call("next", { n: 4 }), call("next", { n: "4" }), "over"], { tools });
    expect(prompts[0]).toContain('"n": {"type": "number"}');
    expect(prompts[1]).toContain("<tool_response>\n5\n</tool_response>");
    expect(prompts[2]).toContain("n must be a number");
    const bare = { "~standard": { ...inputSchema["~standard"], jsonSchema: undefined } };
    expect(() =>
      checkTools({ next: { description: "n", inputSchema: bare, execute: () => 1 } }, "rl"),
    ).toThrow(/rl: tools\.next\.inputSchema has no JSON Schema to show the model/);
  });
});

describe("limits of an episode", () => {
  const again = call("double", { word: "a" });

  /** Tokens of one such answer, its end included. */
  const answerTokens = scriptTokenizer.encode(again, { allowedSpecial: "all" }).length + 1;

  it.each([
    ["max_turns", { maxTurns: 2 }, 2],
    ["max_tool_calls", { maxToolCalls: 1 }, 2],
    ["max_sampled_tokens", { maxSampledTokens: 2 * answerTokens }, 2],
  ] as const)(
    "cookbook 26: %s keeps further calls from being answered, and the reply says so",
    async (limit, options, turns) => {
      let seen: unknown;
      async function* judged(): Episode {
        const reply = yield ask;
        seen = [reply.limit, reply.toolCalls.length];
        return { reward: 0.5, metrics: { results: reply.toolResults.length } };
      }
      const { member } = await play([again, again, again], { ...options, episode: judged });
      expect(seen).toEqual([limit, 1]);
      expect(member).toMatchObject({ limit, reward: 0.5, metrics: { results: turns - 1 } });
      expect(member.replies).toHaveLength(turns);
    },
  );

  it("an answer has no more tokens than the episode has left", async () => {
    const { member } = await play([again, "a".repeat(200)], { maxSampledTokens: answerTokens + 3 });
    expect(member.transitions.map(({ tokens }) => tokens.length)).toEqual([answerTokens, 3]);
    expect(member.replies[1]?.termination).toBe("malformed");
  });

  it("cookbook 26: an episode that asks on after its limit is cleaned up, and has the reward 0 and the limit as its end", async () => {
    let cleanedUp = 0;
    async function* endless(): Episode {
      try {
        for (;;) yield ask;
      } finally {
        cleanedUp += 1;
      }
    }
    const { member } = await play(["a", "b", "c"], { episode: endless, maxTurns: 2, tools: {} });
    expect(cleanedUp).toBe(1);
    expect([member.reward, member.limit, member.replies.length]).toEqual([0, "max_turns", 2]);
  });

  it("an episode with tools ends after 16 turns where no limit is given", async () => {
    const { member } = await play(new Array(20).fill(again));
    expect([member.limit, member.replies.length]).toEqual(["max_turns", 16]);
  });
});
