import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTokenizer, type TextTokenizer } from "@tinkex/tokenizer";
import {
  applyChatTemplate,
  PythonFloat,
  parsePythonJson,
  type TemplateMessage,
} from "@tinkex/tokenizer/chat-template";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

/** A folder with `templates/*.jinja`, and with `chats.json` and `golden.json` in the form that README.md describes. */
const { TINKEX_TEMPLATE_GOLDENS: directory = "", TINKEX_TEMPLATE_GOLDENS_DAY: day = "2026-11-28" } =
  process.env;
const TOKENIZER = new URL("../../packages/tokenizer/fixtures/tiny/tokenizer.json", import.meta.url);
const MAX_REFUSED = 10;

interface Chat {
  readonly messages: readonly TemplateMessage[];
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly gen?: boolean;
  readonly vars?: Readonly<Record<string, unknown>>;
}
interface Golden {
  readonly text?: string;
  readonly error?: string;
}

const read = (name: string): string => readFileSync(join(directory, name), "utf8");

function rendered(tokenizer: TextTokenizer, template: string, chat: Chat): Golden {
  const { messages, tools, gen: addGenerationPrompt = true, vars: variables = {} } = chat;
  try {
    return applyChatTemplate(tokenizer, messages, {
      template,
      addGenerationPrompt,
      variables,
      ...(tools !== undefined && { tools }),
    });
  } catch (error) {
    return { error: String(error) };
  }
}

/** Tells whether a value has numbers that are others after JSON.parse: whole floats, and integers that it writes as floats. */
function isLostByJsonParse(value: unknown): boolean {
  if (value instanceof PythonFloat) return true;
  if (typeof value === "bigint") return value >= 10n ** 21n || value <= -(10n ** 21n);
  if (typeof value !== "object" || value === null) return false;
  return (value instanceof Map ? [...value.values()] : Object.values(value)).some(isLostByJsonParse);
}

// huggingface/swift-jinja#64, ggml-org/llama.cpp#25916: templates of models whose text other engines wrote otherwise, and said nothing. The
// expected texts are those of transformers 5.24 (jinja2 3.1.6).
describe.skipIf(directory === "")("each template with each conversation, against recorded texts", () => {
  // A few templates print the day.
  beforeAll(() => void vi.useFakeTimers({ now: Date.parse(`${day}T12:00:00Z`), toFake: ["Date"] }));
  afterAll(() => void vi.useRealTimers());

  it.each([
    ["parsePythonJson", parsePythonJson, MAX_REFUSED],
    // The order of fields that are named by numbers is lost then: templates that print them are refused.
    ["JSON.parse", (text: string): unknown => JSON.parse(text), Number.POSITIVE_INFINITY],
  ])(
    "differs in no text, with conversations that %s read",
    { timeout: 300_000 },
    (name, parse, maxRefused) => {
      const chats = parse(read("chats.json")) as Readonly<Record<string, Chat>>;
      const exact = parsePythonJson(read("chats.json")) as Readonly<Record<string, Chat>>;
      const goldens = JSON.parse(read("golden.json")) as Record<string, Record<string, Golden>>;
      const tokenizer = createTokenizer({
        tokenizer: JSON.parse(readFileSync(TOKENIZER, "utf8")),
        config: { bos_token: "<|im_start|>", eos_token: "<|im_end|>", unk_token: "<|endoftext|>" },
      });
      const different: string[] = [];
      const refused: string[] = [];
      let count = 0;
      for (const [file, results] of Object.entries(goldens)) {
        const template = read(join("templates", file));
        for (const [chatName, golden] of Object.entries(results)) {
          const chat = chats[chatName];
          if (chat === undefined) throw new Error(`chats.json lacks ${chatName}`);
          if (parse !== parsePythonJson && isLostByJsonParse(exact[chatName])) continue;
          const { text, error } = rendered(tokenizer, template, chat);
          count += 1;
          if (text !== undefined && text !== golden.text) different.push(`${file}: ${chatName}`);
          if (text === undefined && golden.text !== undefined) refused.push(`${file}: ${chatName}: ${error}`);
        }
      }
      console.info(
        `${name}: ${count} texts, ${different.length} different, ${refused.length} refused here alone`,
      );
      expect(count).toBeGreaterThan(0);
      expect(different).toEqual([]);
      if (refused.length > maxRefused) expect(refused).toEqual([]);
    },
  );
});
