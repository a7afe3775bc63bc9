import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TextTokenizer } from "@tinkex/tokenizer";
import { fromHub, loadTokenizer } from "@tinkex/tokenizer/node";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { TestClient } from "../testing/test-client.js";
import { type LocalServer, startLocalServer } from "./start-local-server.js";

const samples = z.object({ sequences: z.tuple([z.object({ tokens: z.array(z.number()) })]) });
const END_OF_TEXT = 256;
const pocket2 = fileURLToPath(new URL("../../models/pocket-2", import.meta.url));
/** Sums as the cookbook's arithmetic environment asks for them, of numbers from 0 to 100, spread over the tens. */
const PAIRS = Array.from({ length: 14 }, (_, i) => [(i * 37 + 11) % 101, (i * 53 + 29) % 101] as const);

/** Recorded from tinker-cookbook 0.6.1 by `tooling/base-model/record_prompts.py`. */
const prompts = z
  .object({
    sums: z.record(
      z.string(),
      z.object({ plain: z.string(), with_example: z.string(), ends: z.array(z.string()) }),
    ),
    tools: z.array(
      z.object({
        renderer: z.string(),
        tool: z.string(),
        prompt: z.string(),
        opening: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("../../fixtures/pocket-2-prompts.json", import.meta.url), "utf8")));

describe("the built-in models", () => {
  let server: LocalServer;
  let client: TestClient;
  let tokenizer: TextTokenizer;

  beforeAll(async () => {
    server = await startLocalServer({ threads: 1, standIn: true });
    client = new TestClient(server.url, "tinkex/pocket-2");
    tokenizer = await loadTokenizer(pocket2);
  }, 60_000);
  afterAll(() => server?.close());

  const encode = (text: string) => tokenizer.encode(text, { allowedSpecial: "all" });

  async function answer(prompt: string, maxTokens: number, base_model = "tinkex/pocket-2"): Promise<string> {
    const outcome = await client.run("/asample", {
      prompt: { chunks: [{ tokens: encode(prompt) }] },
      base_model,
      sampling_params: { max_tokens: maxTokens, temperature: 0 },
      seq_id: 0,
    });
    return tokenizer.decode(samples.parse(outcome).sequences[0].tokens);
  }

  it("are both served, tinkex/pocket-1 first and tinkex/pocket-2 in the place of others, each with its tokenizer", async () => {
    expect((await client.get("/get_server_capabilities")).body).toMatchObject({
      supported_models: [
        { model_name: "tinkex/pocket-1", max_context_length: 512 },
        { model_name: "tinkex/pocket-2", max_context_length: 4096, stands_in: true },
      ],
    });
    const source = fromHub({ endpoint: server.url, cacheDirectory: temporaryDirectory(), env: {} });
    for (const id of ["tinkex/pocket-2", "acme/large"]) {
      expect((await source({ id })).encode("a</think>", { allowedSpecial: "all" })).toEqual([97, 260]);
    }
    expect(await answer("reverse: planet ->", 12, "tinkex/pocket-1")).toBe(" tenalp<|endoftext|>");
    expect(await answer("reverse: planet ->", 12, "acme/large")).toBe(" tenalp<|endoftext|>");
  });

  it.each(Object.entries(prompts.sums))(
    "tinkex/pocket-2 says a third to two thirds of sums rightly in the layout of %s, so that rewards have something to raise",
    async (_, { plain, with_example, ends }) => {
      const asked = PAIRS.flatMap(([x, y]) =>
        [plain, with_example].map(async (prompt) => {
          const text = await answer(prompt.replace("{x}", `${x}`).replace("{y}", `${y}`), 12);
          for (const end of ends) expect(text).toContain(end);
          return Number.parseInt(text, 10) === x + y;
        }),
      );
      const right = (await Promise.all(asked)).filter(Boolean).length / asked.length;
      expect(right).toBeGreaterThan(0.3);
      expect(right).toBeLessThan(0.7);
    },
  );

  it.each(prompts.tools)(
    "tinkex/pocket-2 opens a call of $tool in the layout of $renderer, behind the tools at length",
    async ({ prompt, opening }) => {
      expect(encode(prompt).length).toBeGreaterThan(512);
      expect(await answer(prompt, opening.length)).toContain(opening);
    },
  );

  it("tinkex/pocket-2 has the tags of thinking, tools and turns as one token each", () => {
    const tags = [
      ...["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"],
      ...["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"],
      ...["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"],
    ];
    const ids = tags.map((_, index) => END_OF_TEXT + index);
    expect(encode(tags.map((tag) => `a${tag}`).join(""))).toEqual(ids.flatMap((id) => [97, id]));
    // A digit is one token too.
    expect(encode("47 + 8")).toEqual([52, 55, 32, 43, 32, 56]);
  });
});
