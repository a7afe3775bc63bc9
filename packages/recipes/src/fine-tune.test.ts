import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, vi } from "vitest";
import { readDataset } from "./data/dataset.js";
import { chatsFromJsonl } from "./data/json-lines.js";
import { type FineTuneOptions, fineTune } from "./fine-tune.js";
import type { RecipeEvent } from "./run/recipe-event.js";
import { sft } from "./sft.js";
import { localService, POCKET_MODEL } from "./testing/local-service.js";
import { spiedService } from "./testing/spied-service.js";

const { service, url } = localService();
const settings = {
  ...{ model: POCKET_MODEL, rank: 4, seed: 1, learningRate: 3e-3, epochs: 2 },
  renderer: "qwen3_instruct",
} as const;

const chat = (word: string) => ({
  messages: [
    { role: "user", content: word },
    { role: "assistant", content: `${word}${word}` },
  ],
});
const CALL = { id: "1", type: "function", function: { name: "weather", arguments: '{"city": "Oslo"}' } };
const WITH_TOOLS = {
  messages: [
    { role: "user", content: "Rain?" },
    { role: "assistant", content: "Let me see.", weight: 0 },
    { role: "assistant", content: null, tool_calls: [CALL] },
    { role: "tool", tool_call_id: "1", content: "no" },
    { role: "assistant", content: "No.", weight: 1 },
  ],
  tools: [
    { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } },
  ],
};
/** The declaration of the tools takes more tokens than the small model has room for. */
const WITH_CALLS = { messages: WITH_TOOLS.messages };

function fileOf(lines: readonly (object | string)[], end = "\n"): string {
  const path = join(temporaryDirectory(), "chats.jsonl");
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(path, texts.join(end));
  return path;
}

describe("fineTune", { timeout: 240_000 }, () => {
  it("learns from a file of OpenAI's as sft does from its chats, and takes all of fewer examples than a step has", async () => {
    const path = fileOf([chat("ant"), WITH_CALLS, "", chat("bee")], "\r\n");
    const job = fineTune({ ...settings, service: service(), train: path, test: fileOf([chat("cat")]) });
    const events: RecipeEvent[] = [];
    for await (const event of job) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(["start", "eval", "step", "step", "checkpoint", "done"]);
    const train = await readDataset(chatsFromJsonl(path), "chats");
    const same = await sft({ ...settings, service: service(), train, test: [chat("cat")], batchSize: 3 });
    expect((await job).metrics.train_mean_nll).toBe(same.metrics.train_mean_nll);
    expect((await job).metrics.num_sequences).toBe(3);
  });

  it("names all bad lines of all its files at once, before anything is sent", async () => {
    const train = fileOf([chat("ant"), "{", { messages: [{ role: "user", content: "x" }] }]);
    const calls: string[] = [];
    const spied = spiedService(service(), (call) => calls.push(call));
    const bad = (name: string, args: string) => ({
      messages: [{ role: "assistant", content: null, tool_calls: [{ function: { name, arguments: args } }] }],
    });
    const test = fileOf([bad("a", "{"), bad("a", "{}"), chat("b")]);
    const job = fineTune({ ...settings, service: spied, train, test });
    await expect(job).rejects.toThrow(
      `fineTune: ${train} has 2 bad lines; line 2: `, // what JSON.parse says
    );
    await expect(job).rejects.toThrow("line 3: must have at least one message of the assistant; ");
    await expect(job).rejects.toThrow(
      `${test} has 1 bad line; line 1: messages[0].tool_calls[0].function.arguments must be JSON`,
    );
    expect(calls).toEqual([]);
    const empty = fineTune({ ...settings, service: spied, train: fileOf(["", ""]) });
    await expect(empty).rejects.toThrow(/has no chats$/);
    const missing = fineTune({ ...settings, service: spied, train: "/nowhere/chats.jsonl" });
    await expect(missing).rejects.toThrow(/must be a file that can be read, got ".*" \(ENOENT/);
    expect(calls).toEqual([]);
  });

  it("names the lines of all chats that the renderer refuses, and sends none of them", async () => {
    const calls: string[] = [];
    const spied = spiedService(service(), (call) => calls.push(call));
    const train = fileOf([chat("ant"), WITH_TOOLS, "", WITH_TOOLS]);
    const job = fineTune({ ...settings, service: spied, train, renderer: "role_colon" });
    await expect(job).rejects.toThrow(
      /^fineTune: .*chats\.jsonl, line 2: role_colon has no place for tools.*; fineTune: .*chats\.jsonl, line 4: role_colon/,
    );
    expect(calls).not.toContain("forwardBackward");
  });

  it("makes a client of what the environment names where none is given, and closes it with the result", async () => {
    vi.stubEnv("TINKER_BASE_URL", url());
    vi.stubEnv("TINKER_API_KEY", "tml-local");
    try {
      const job = await fineTune({ ...settings, train: [chat("ant"), chat("bee")], epochs: 1 });
      expect(await job.service.getServerCapabilities()).toHaveProperty("supported_models");
      await job[Symbol.asyncDispose]();
      await expect(job.service.getServerCapabilities()).rejects.toThrow(/closed/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each([
    [{ train: 3 }, "fineTune: train must be an array or an iterable, got 3"],
    [{ train: "" }, "fineTune: train must be the path of a file"],
    [{ train: "a.jsonl", batchSize: 0 }, "fineTune: batchSize must be a whole number from 1, got 0"],
    [{ train: "a.jsonl", epoch: 3 }, 'did you mean "epochs"'],
    [{ train: "a.jsonl", learningRate: undefined }, "is not in the table of models; give a learningRate"],
  ])("refuses %j at the call", (options, message) => {
    const call = () =>
      fineTune({ ...settings, service: service(), ...options } as unknown as FineTuneOptions);
    expect(call).toThrow(message);
  });
});
