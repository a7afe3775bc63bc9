import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { readRecording } from "../testing/recording.js";
import { getRenderer, type RendererName, rendererFromReference } from "./get-renderer.js";
import { registerRenderer } from "./register-renderer.js";

const qwen3 = recordedTokenizer(readRecording("qwen3").tokenizer);
const gptOss = recordedTokenizer(readRecording("gpt_oss_no_sysprompt").tokenizer);
const hi = [{ role: "user", content: "Hi" }];

describe("getRenderer", () => {
  it("cookbook 9: names the nearest renderer where there is none, or all", () => {
    // @ts-expect-error a misspelt name does not compile
    const misspelt: RendererName = "qwen3_dissable_thinking";
    expect(() => getRenderer(misspelt, qwen3)).toThrow(
      'no renderer "qwen3_dissable_thinking"; did you mean "qwen3_disable_thinking"?',
    );
    expect(() => getRenderer("Acme/chat", qwen3)).toThrow(/names are .*qwen3, .*registerRenderer/);
    expect(() => getRenderer("Acme/chat", qwen3)).toThrow(ValidationError);
    // The name of a model compiles, as that of a renderer of one's own does.
    expect(() => getRenderer("Qwen/Qwen3-8B", qwen3)).toThrow(/those of a model's from rendererNameFor\)$/);
  });

  it("cookbook 9: has its options checked by the compiler, each name its own", () => {
    getRenderer("gpt_oss_medium_reasoning", gptOss, {
      currentDate: "2026-01-31",
      model: "openai/gpt-oss-20b",
    });
    // @ts-expect-error this one tells the model no date
    expect(() => getRenderer("gpt_oss_no_sysprompt", gptOss, { currentDate: "2026-01-31" })).toThrow(
      'options: unknown field "currentDate" (known: none)',
    );
    // @ts-expect-error an option that is misspelt
    expect(() => getRenderer("gpt_oss_medium_reasoning", gptOss, { currentdate: "2026-01-31" })).toThrow(
      'options: unknown field "currentdate", did you mean "currentDate"?',
    );
    // @ts-expect-error a date is text
    expect(() => getRenderer("gpt_oss_medium_reasoning", gptOss, { currentDate: 2026 })).toThrow(
      "currentDate must be a date such as 2026-01-31, not 2026",
    );
    expect(() => getRenderer("gpt_oss_medium_reasoning", gptOss, { currentDate: "31 January" })).toThrow(
      "currentDate must be a date such as 2026-01-31, not 31 January",
    );
    // @ts-expect-error the modes are known
    expect(() => getRenderer("qwen3", qwen3).buildSupervisedExample(hi, { trainOn: "last" })).toThrow(
      ValidationError,
    );
  });

  it("refuses an option of a reference that its renderer does not know", () => {
    const reference = { name: "qwen3", options: { keepThinking: true } };
    expect(() => rendererFromReference(reference, qwen3)).toThrow('options: unknown field "keepThinking"');
  });

  it.each([["text"], [undefined], [[1.5]], [["1"]]])("refuses to read %o as a response", (ids) => {
    const renderer = getRenderer("qwen3", qwen3);
    expect(() => renderer.parseResponse(ids as number[])).toThrow(
      "ids must be an array or a typed array of numbers",
    );
  });

  it("refuses a tokenizer of another family", () => {
    expect(() => getRenderer("llama3", qwen3)).toThrow(/no token "<\|eot_id\|>".*rendererNamesFor/);
  });

  it("takes any object that encodes, decodes and knows its tokens", () => {
    const words = ["<|begin_of_text|>", "<|eot_id|>"];
    const own = {
      encode: (text: string) => [...text].map((character) => 100 + (character.codePointAt(0) ?? 0)),
      decode: (ids: ArrayLike<number>) =>
        Array.from(ids, (id) => words[id] ?? String.fromCodePoint(id - 100)).join(""),
      tokenId: (token: string) => (words.includes(token) ? words.indexOf(token) : undefined),
    };
    const renderer = getRenderer("llama3", own);
    expect(renderer.stopSequences).toEqual([1]);
    expect(renderer.parseResponse([...own.encode("Yes"), 1]).message.content).toBe("Yes");
  });
});

describe("the logger of a renderer", () => {
  it("is warned once of training on turns as they were not produced", () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const chat = [...hi, { role: "assistant", content: "Hello" }];
    for (const name of ["qwen3", "qwen3_instruct"] as const) {
      const renderer = getRenderer(name, qwen3, { logger });
      renderer.buildSupervisedExample(chat);
      renderer.buildSupervisedExamples(chat, { trainOn: "all_assistant_messages" });
      expect(warnings).toEqual([]);
    }
    const renderer = getRenderer("qwen3", qwen3, { logger });
    for (let time = 0; time < 2; time++) {
      renderer.buildSupervisedExample(chat, { trainOn: "all_assistant_messages" });
    }
    expect(warnings).toEqual([expect.stringMatching(/^qwen3 writes earlier turns.*buildSupervisedExamples/)]);
  });
});

describe("rendererFromReference", () => {
  it("makes an equal renderer of one that has been through JSON", () => {
    const clock = { now: () => 0 };
    const renderer = getRenderer("gpt_oss_low_reasoning", gptOss, {
      model: "openai/gpt-oss-20b",
      currentDate: "2026-01-31",
      clock,
    });
    const text = JSON.stringify(renderer);
    expect(JSON.parse(text)).toEqual({
      name: "gpt_oss_low_reasoning",
      model: "openai/gpt-oss-20b",
      options: { currentDate: "2026-01-31" },
    });
    const copy = rendererFromReference(JSON.parse(text), gptOss);
    expect([copy.name, copy.model]).toEqual([renderer.name, renderer.model]);
    expect(copy.buildGenerationPrompt(hi)).toEqual(renderer.buildGenerationPrompt(hi));
    expect(JSON.stringify(copy)).toBe(text);
  });
});

describe("registerRenderer", () => {
  it("lets getRenderer make it, with what was asked for, until it is taken out", () => {
    const takeOut = registerRenderer("Acme/chat", ({ tokenizer, reference }) => ({
      ...getRenderer("qwen3_instruct", tokenizer),
      name: reference.name,
      toJSON: () => reference,
    }));
    const renderer = getRenderer("Acme/chat", qwen3, { model: "acme/1", tone: "kind" });
    expect(renderer.toJSON()).toEqual({ name: "Acme/chat", model: "acme/1", options: { tone: "kind" } });
    expect(renderer.buildGenerationPrompt(hi)).toEqual(
      getRenderer("qwen3_instruct", qwen3).buildGenerationPrompt(hi),
    );
    expect(() => getRenderer("Acme/chta", qwen3)).toThrow('did you mean "Acme/chat"?');
    expect(() => registerRenderer("Acme/chat", () => renderer)).toThrow(/registered already/);
    takeOut();
    expect(() => getRenderer("Acme/chat", qwen3)).toThrow(/no renderer "Acme\/chat"/);
  });

  it("wants a name with an owner", () => {
    for (const name of ["qwen3", "/chat", "Acme/"]) {
      expect(() => registerRenderer(name, () => getRenderer("qwen3", qwen3)), name).toThrow(ValidationError);
    }
  });
});
