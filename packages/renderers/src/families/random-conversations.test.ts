import { createHash } from "node:crypto";
import type { ModelInput } from "@tinkex/types";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { type BuiltInRendererName, getRenderer } from "../registry/get-renderer.js";
import type { Renderer } from "../renderer/renderer.js";
import type { TrainOn } from "../renderer/train-on.js";
import { idsOf } from "../testing/ids-of.js";
import { readFixture } from "../testing/read-fixture.js";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { readRecording } from "../testing/recording.js";
import { runs } from "../testing/walk-recording.js";

/** What `fixtures/record_random.py` writes. */
interface RandomConversations {
  readonly conversations: readonly (readonly Message[])[];
  readonly results: Readonly<Record<BuiltInRendererName, readonly RecordedResult[]>>;
}

interface Refused {
  readonly error: string;
}

interface Summary {
  readonly lengths: readonly number[];
  readonly sha256: string;
}

interface RecordedResult {
  readonly prompt: Summary | Refused;
  /** Null where every mode was refused. */
  readonly document: Summary | null;
  readonly weights: Readonly<Record<TrainOn, readonly (readonly number[])[] | Refused>>;
}

/** The one of the families whose own is in no registry. */
const tokenizer = recordedTokenizer(readRecording("qwen3_5").tokenizer);
const { conversations, results } = readFixture("random-conversations") as RandomConversations;

function summary(input: ModelInput): Summary {
  return {
    lengths: input.chunks.map((chunk) => ("tokens" in chunk ? chunk.tokens.length : 0)),
    sha256: createHash("sha256").update(idsOf(input).join()).digest("hex").slice(0, 16),
  };
}

/** The same of our renderer, for one comparison of everything. */
function result(renderer: Renderer, messages: readonly Message[], modes: readonly TrainOn[]): RecordedResult {
  const attempt = <Value>(build: () => Value): Value | Refused => {
    try {
      return build();
    } catch (error) {
      return { error: error instanceof Error ? error.name : String(error) };
    }
  };
  const examples = modes.map((trainOn) =>
    attempt(() => renderer.buildSupervisedExample(messages, { trainOn })),
  );
  const document = examples.find((example) => !("error" in example));
  return {
    prompt: attempt(() => summary(renderer.buildGenerationPrompt(messages.slice(0, -1)))),
    document: document === undefined || "error" in document ? null : summary(document.modelInput),
    weights: Object.fromEntries(
      modes.map((mode, index) => {
        const example = examples[index];
        return [mode, example === undefined || "error" in example ? example : runs(example.weights)];
      }),
    ) as RecordedResult["weights"],
  };
}

/** Python's class of an error says nothing here. */
function withoutClasses(recorded: RecordedResult): unknown {
  return JSON.parse(JSON.stringify(recorded), (key, value) => (key === "error" ? "refused" : value));
}

/** The normal run takes every so many-th conversation, each renderer beginning at another; TINKEX_ALL_CONVERSATIONS has all of them. */
const STEP = process.env.TINKEX_ALL_CONVERSATIONS === undefined ? 4 : 1;

describe("random conversations", () => {
  for (const [place, [name, recorded]] of Object.entries(results).entries()) {
    it(`cookbook 1: ${name} renders them as the reference does`, () => {
      const renderer = getRenderer(name as BuiltInRendererName, tokenizer);
      for (const [index, messages] of conversations.entries()) {
        if (index % STEP !== place % STEP) continue;
        const wanted = recorded[index] ?? expect.fail(`conversation ${index} is not recorded`);
        const modes = Object.keys(wanted.weights) as TrainOn[];
        expect(withoutClasses(result(renderer, messages, modes)), `conversation ${index}`).toEqual(
          withoutClasses(wanted),
        );
      }
    });
  }
});
