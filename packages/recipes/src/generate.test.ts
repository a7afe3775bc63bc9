import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { failOnUnhandledErrors, temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { type GeneratedAnswer, type GenerateOptions, generate } from "./index.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service } = localService();
const prompts = Array.from({ length: 9 }, (_, index) => `${index} and ${index + 1} and `);
const base = (more: Partial<GenerateOptions> = {}): GenerateOptions => ({
  ...{ service: service(), sampler: POCKET_MODEL, prompts, maxTokens: 3, seed: 2 },
  ...more,
});

async function answersOf(run: AsyncIterable<GeneratedAnswer>): Promise<GeneratedAnswer[]> {
  const answers: GeneratedAnswer[] = [];
  for await (const answer of run) answers.push(answer);
  return answers;
}

describe("generate", { timeout: 240_000 }, () => {
  it("awaited gives all answers in the order of the prompts; iterated in call order the same ones, one by one", async () => {
    const { answers, answered, failed } = await generate(base({ samples: 2 }));
    expect([answered, failed]).toEqual([9, 0]);
    expect(answers.map(({ index }) => index)).toEqual([...prompts.keys()]);
    expect(answers.map(({ prompt }) => prompt)).toEqual(prompts);
    for (const { replies } of answers) {
      expect(replies).toHaveLength(2);
      for (const reply of replies)
        expect(reply).toMatchObject({ stopReason: "length", termination: "malformed" });
      expect(replies[0]?.logprobs).toHaveLength(3);
    }
    const run = generate(base({ samples: 2, order: "call", concurrency: 2 }));
    expect(await answersOf(run)).toEqual(answers);
    // Nothing is left for whoever awaits it then but the counts.
    expect(await run).toEqual({ answers: [], answered: 9, failed: 0 });
  });

  it("takes no more prompts from their source than there is room for, however many there are", async () => {
    const concurrency = 3;
    let pulled = 0;
    let given = 0;
    async function* endless() {
      for (;;) {
        // One is taken and waits for room, and one was begun before anybody asked.
        expect(pulled).toBeLessThanOrEqual(given + concurrency + 1);
        pulled += 1;
        yield `${pulled} `;
      }
    }
    const controller = new AbortController();
    const run = generate(base({ prompts: endless(), concurrency, signal: controller.signal }));
    // It has started by itself, and stands still until somebody takes an answer.
    await expect.poll(() => pulled, { timeout: 20_000 }).toBeGreaterThanOrEqual(concurrency);
    for await (const { index } of run) {
      expect(index).toBeLessThan(pulled);
      given += 1;
      if (given === 12) break;
    }
    controller.abort(new Error("enough"));
    await expect(run).rejects.toThrow("aborted");
  });

  it("with a file asks only what is not in it, and gives the same answers", async () => {
    const file = join(temporaryDirectory(), "deep", "answers.jsonl");
    const whole = await generate(base());
    const controller = new AbortController();
    const stopped = generate(base({ file, concurrency: 1, order: "call", signal: controller.signal }));
    for await (const { index } of stopped) if (index === 3) break;
    controller.abort();
    await expect(stopped).rejects.toThrow();
    const before = readFileSync(file, "utf8").split("\n").filter(Boolean).length;
    expect(before).toBeGreaterThanOrEqual(4);
    expect(before).toBeLessThan(9);
    let asked = 0;
    const spy = spiedService(service(), (call) => {
      if (call === "sampleMany") asked += 1;
    });
    const again = await generate(base({ file, service: spy }));
    expect(asked).toBe(1);
    expect(again.answers.map(({ replies }) => replies.map(({ text, tokens }) => [text, tokens]))).toEqual(
      whole.answers.map(({ replies }) => replies.map(({ text, tokens }) => [text, tokens])),
    );
    expect(readFileSync(file, "utf8").split("\n").filter(Boolean)).toHaveLength(9);
    const other = generate(base({ file, prompts: ["another"] }));
    await expect(other).rejects.toThrow(
      /generate: file has the answers to another prompt.* at 0; choose another file/,
    );
  });

  it.each([
    ["a data set of JSON lines", '{"prompt": "a"}\n{"prompt": "b"}', 'has rows without "place" and "key"'],
    [
      "answers among other rows",
      '{"place": "0", "key": "k", "answers": []}\n{"place": 1, "key": "k"}\n',
      "has rows",
    ],
    ["prompts in one line", '[{"role": "user", "content": "a"}]', "the last line of"],
  ])("refuses a file that holds %s, and leaves it as it is", async (_, text, message) => {
    const file = join(temporaryDirectory(), "prompts.json");
    writeFileSync(file, text);
    const run = generate(base({ file }));
    await expect(run).rejects.toBeInstanceOf(ValidationError);
    await expect(run).rejects.toThrow(message);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("names the prompt that failed; failures are given beside the answers up to maxFailures, and one more ends the run", async () => {
    const odd = ["a ", 3 as never, "b ", "long ".repeat(3000)];
    await expect(generate(base({ prompts: odd, order: "call" }))).rejects.toThrow(
      /^generate: prompt 1 \(3\): a prompt must be a string or an array of messages, got 3$/,
    );
    const { answers, failed } = await generate(base({ prompts: odd, maxFailures: 2, order: "call" }));
    expect(failed).toBe(2);
    expect(answers.map(({ replies }) => replies.length)).toEqual([1, 0, 1, 0]);
    expect(String(answers[3]?.error)).toMatch(/generate: prompt 3 \("long long .*…\): /);
    await expect(generate(base({ prompts: odd, maxFailures: 1 }))).rejects.toThrow(/^generate: prompt [13]/);
  });

  it("is caught and ended as a promise is", async () => {
    let ends = 0;
    const count = (): void => {
      ends += 1;
    };
    const failing = () => generate(base({ prompts: [3 as never] }));
    expect(await failing().catch(() => "caught")).toBe("caught");
    await expect(failing().finally(count)).rejects.toThrow(/prompt 0/);
    expect((await generate(base({ prompts: [] })).finally(count)).answered).toBe(0);
    expect(ends).toBe(2);
  });

  it("a failure ends no process where nobody awaits or iterates", async () => {
    failOnUnhandledErrors();
    generate(base({ prompts: [3 as never] }));
    const taken = generate(base({ prompts: [3 as never] }));
    await expect(taken).rejects.toThrow(/prompt 0/);
    await expect(taken).rejects.toThrow(/prompt 0/);
  });
});

it("refuses what it cannot sample with, before anything is sent", () => {
  expect(() => generate(base({ sampler: 3 as never }))).toThrow(
    /generate: sampler must be a sampling client/,
  );
  const client = { sample: () => {} } as never;
  expect(() => generate(base({ sampler: client, file: "a.jsonl" }))).toThrow(
    /generate: sampler must be the path of a checkpoint or the name of a model where there is a file/,
  );
  expect(() => generate(base({ concurrency: 0 }))).toThrow(
    /generate: concurrency must be a whole number from 1/,
  );
  expect(() => generate(base({ order: "any" as never }))).toThrow(/order must be "completion" or "call"/);
  expect(() => generate(base({ maxFailures: -1 }))).toThrow(/maxFailures must be a whole number from 0/);
  expect(() => generate(base({ prompts: "abc" as never }))).toThrow(/generate: prompts must be an array/);
});
