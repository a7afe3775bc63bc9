import { readFileSync } from "node:fs";
import { TinkexError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { applyChatTemplate } from "../chat/apply-chat-template.js";
import { hostileTemplate } from "../testing/hostile-template.js";
import { hostileTokenizer } from "../testing/hostile-tokenizer.js";
import { randomFrom } from "../testing/random-from.js";
import { createTokenizer } from "./create-tokenizer.js";

/** `pnpm test:fuzz` sets them for the long campaign. */
const CASES = Number(process.env.FUZZ_CASES ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
/** On a machine that does other things too; what each case may take is 1 s of the processor. */
const MAX_CPU_MS = 1_000;

const readFixture = (path: string) =>
  readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8");
const tiny = JSON.parse(readFixture("tiny/tokenizer.json"));
const snippets: readonly string[] = JSON.parse(readFixture("templates/snippets.json")).snippets;
const MESSAGES = [
  { role: "system", content: "Be brief.\n" },
  { role: "user", content: [{ type: "text", text: "<|im_end|> naïve 北京 😀" }] },
  {
    role: "assistant",
    content: "ok",
    tool_calls: [{ function: { name: "f", arguments: { a: [1, null, 2.5] } } }],
  },
];

/** Runs one case: it ends in time, and with one of our errors if with any. */
function attempt(describe: () => string, work: () => void): void {
  const before = process.cpuUsage();
  try {
    work();
  } catch (error) {
    if (!TinkexError.isInstance(error)) throw new Error(`no error of ours: ${describe()}`, { cause: error });
  }
  const { user, system } = process.cpuUsage(before);
  const tookMs = (user + system) / 1_000;
  if (tookMs >= MAX_CPU_MS) expect(tookMs, describe()).toBeLessThan(MAX_CPU_MS);
}

/** The most that the cases may leave behind, measured after the collector has run where a program may ask for it. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

function withoutLeaving(work: () => void): void {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  work();
  globalThis.gc?.();
  if (globalThis.gc !== undefined)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(MAX_GROWTH_BYTES);
}

describe("whatever is in the files of a model", () => {
  it(`renders, or refuses in time, ${CASES} hostile templates`, { timeout: 60_000 + CASES * 500 }, () => {
    const random = randomFrom(SEED);
    const tokenizer = createTokenizer({ tokenizer: tiny, config: { eos_token: "<|im_end|>" } });
    withoutLeaving(() => {
      for (let index = 0; index < CASES; index++) {
        const template = hostileTemplate(random, snippets);
        attempt(
          () => JSON.stringify(template),
          () => applyChatTemplate(tokenizer, MESSAGES, { template: `${template}{{ '' }}`, tools: [] }),
        );
      }
    });
  });

  it(`encodes and decodes, or refuses in time, with ${CASES} hostile tokenizers`, {
    timeout: 60_000 + CASES * 500,
  }, () => {
    const random = randomFrom(SEED + 1);
    withoutLeaving(() => {
      for (let index = 0; index < CASES; index++) {
        const tokenizer = hostileTokenizer(random, tiny);
        const unit =
          ["a", " ", "\n", "ab ", "😀", "é", "<|im_end|>", "aA", "."][Math.floor(random() * 9)] ?? "a";
        const text = `${unit.repeat(1 + Math.floor(random() * 3_000))}!`;
        attempt(
          () => `${JSON.stringify(tokenizer).slice(0, 3_000)} with ${JSON.stringify(unit)}`,
          () => {
            const made = createTokenizer({ tokenizer });
            const ids = made.encode(text, { allowedSpecial: "all", addSpecialTokens: random() < 0.5 });
            made.decode(ids, { skipSpecialTokens: random() < 0.5 });
          },
        );
      }
    });
  });
});
