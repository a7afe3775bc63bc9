import { startLocalServer } from "@tinkex/local";
import { getTokenizer, ServiceClient } from "tinkex";
import { expect, it } from "vitest";

const TEXT = "The quick brown fox";

it("a sampler of the local server's base model finds its tokenizer, though nobody trains it", async () => {
  await using server = await startLocalServer();
  await using service = new ServiceClient({ baseUrl: server.url, env: {} });
  await using sampler = await service.createSamplingClient({ base_model: "tinkex/pocket-1" });
  const tokenizer = await sampler.getTokenizer();
  expect(tokenizer.decode(tokenizer.encode(TEXT))).toBe(TEXT);
  const training = await service.createLoraTrainingClient({ base_model: "tinkex/pocket-1", rank: 4 });
  expect(await training.getTokenizer()).toBe(tokenizer);
}, 60_000);

it("finds it too where getTokenizer itself is given as the tokenizer", async () => {
  await using server = await startLocalServer();
  await using service = new ServiceClient({ baseUrl: server.url, tokenizer: getTokenizer, env: {} });
  const sampler = await service.createSamplingClient({ base_model: "tinkex/pocket-1" });
  const tokenizer = await sampler.getTokenizer();
  expect(tokenizer.decode(tokenizer.encode(TEXT))).toBe(TEXT);
}, 60_000);
