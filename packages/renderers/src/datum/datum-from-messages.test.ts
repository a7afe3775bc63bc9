import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { getRenderer } from "../registry/get-renderer.js";
import type { TrainOn } from "../renderer/train-on.js";
import { idsOf } from "../testing/ids-of.js";
import { readFixture } from "../testing/read-fixture.js";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { type RecordedTokenizer, readRecording } from "../testing/recording.js";
import { datumFromMessages, datumsFromMessages } from "./datum-from-messages.js";

interface RecordedTensor {
  readonly data: readonly number[];
  readonly dtype: string;
  readonly shape: readonly number[];
}

interface RecordedDatums {
  readonly conversation_to_datum: {
    readonly messages: readonly Message[];
    readonly default_train_on_what: TrainOn;
    readonly default_reduction: "mean" | "none";
    readonly tokenizers: Readonly<Record<string, RecordedTokenizer>>;
    readonly cases: readonly {
      readonly renderer: "qwen3_instruct" | "llama3";
      readonly reduction: "mean" | "none";
      readonly max_length: number | null;
      readonly train_on_what: TrainOn;
      readonly datum: {
        readonly input: readonly number[];
        readonly weights: RecordedTensor;
        readonly target_tokens: RecordedTensor;
      };
    }[];
  };
}

const { conversation_to_datum: recorded } = readFixture("recipe-numbers") as RecordedDatums;
const { messages } = recorded;

function rendererNamed(name: "qwen3_instruct" | "llama3") {
  const tokenizer = recorded.tokenizers[name];
  if (tokenizer === undefined) throw new Error(`no tokenizer is recorded for ${name}`);
  return getRenderer(name, recordedTokenizer(tokenizer));
}

function plain(tensor: ({ readonly data: ArrayLike<number | bigint> } & object) | undefined): unknown {
  return tensor && { ...tensor, data: Array.from(tensor.data, Number) };
}

describe("datumFromMessages", () => {
  for (const example of recorded.cases) {
    const { renderer, reduction, max_length, train_on_what: trainOn, datum: wanted } = example;
    it(`cookbook 11: ${renderer}, ${reduction}, ${max_length ?? "any"} tokens, ${trainOn}`, () => {
      const options = { trainOn, reduction, maxLength: max_length ?? undefined };
      const build = (untrained: "throw" | "keep") =>
        datumFromMessages(rendererNamed(renderer), messages, { ...options, untrained });
      const { model_input, loss_fn_inputs } = build("keep");
      expect(idsOf(model_input)).toEqual(wanted.input);
      expect(plain(loss_fn_inputs.target_tokens)).toEqual(wanted.target_tokens);
      expect(plain(loss_fn_inputs.weights)).toEqual(wanted.weights);
      if (wanted.weights.data.every((weight) => weight === 0)) {
        expect(() => build("throw")).toThrow(`once it is cut to ${max_length} tokens`);
      } else expect(build("throw")).toEqual(build("keep"));
    });
  }

  it("has the recorded defaults", () => {
    const renderer = rendererNamed("llama3");
    const { default_reduction: reduction, default_train_on_what: trainOn } = recorded;
    expect(datumFromMessages(renderer, messages)).toEqual(
      datumFromMessages(renderer, messages, { reduction, trainOn }),
    );
  });

  it("refuses a conversation in which nothing is trained on", () => {
    const chat = [{ role: "user", content: "Hi" }];
    expect(() => datumFromMessages(rendererNamed("llama3"), chat)).toThrow(
      /no token of the document is trained/,
    );
    expect(() => datumFromMessages(rendererNamed("llama3"), chat)).toThrow(ValidationError);
  });

  it.each([datumFromMessages, datumsFromMessages])(
    "names the roles where none is the assistant's: %o",
    (make) => {
      const chat = [
        { role: "user", content: "Hi" },
        { role: "bot", content: "Hello" },
      ];
      const renderer = rendererNamed("llama3");
      expect(() => make(renderer, chat)).toThrow(
        /^no token of the document is trained on, as no message has the role "assistant" \(roles: "user", "bot"\); rename/,
      );
      for (const options of [{ trainOn: "all_messages" }, { untrained: "keep" }] as const)
        expect(() => make(renderer, chat, options)).not.toThrow();
    },
  );
});

describe("datumsFromMessages", () => {
  it("makes one example of a renderer with the extension property, else one per trained message", () => {
    const qwen3 = getRenderer("qwen3", recordedTokenizer(readRecording("qwen3").tokenizer));
    expect(datumsFromMessages(rendererNamed("llama3"), messages)).toHaveLength(1);
    const [first, second, ...others] = datumsFromMessages(qwen3, messages);
    expect(others).toEqual([]);
    expect(first).toEqual(
      datumFromMessages(qwen3, messages.slice(0, 2), { trainOn: "last_assistant_message" }),
    );
    expect(second).toEqual(datumFromMessages(qwen3, messages, { trainOn: "last_assistant_message" }));
  });
});
