import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { type TrainOn, trainOnRules } from "../renderer/train-on.js";
import { arbitraryChat } from "../testing/arbitrary-messages.js";
import { idsOf } from "../testing/ids-of.js";
import { recordedRenderers } from "../testing/recorded-renderers.js";

const MODES = (Object.keys(trainOnRules) as TrainOn[]).filter((mode) => mode !== "customized");
const BOS = new Set(["<|begin_of_text|>", "<｜begin▁of▁sentence｜>"]);

describe.each(recordedRenderers)("$name", ({ renderer, tokenizer, shows, hasOwnMessage }) => {
  const weightsOf = (chat: readonly Message[], trainOn: TrainOn) =>
    Array.from(renderer.buildSupervisedExample(chat, { trainOn }).weights);

  // A message of the renderer's own belongs to neither.
  it.skipIf(hasOwnMessage)(
    "cookbook 5: all messages are those of the assistant and those of users and system",
    () => {
      fc.assert(
        fc.property(arbitraryChat(shows), (chat) => {
          const assistant = weightsOf(chat, "all_assistant_messages");
          const others = weightsOf(chat, "all_user_and_system_messages");
          expect(assistant.map((weight, index) => weight + (others[index] ?? 0))).toEqual(
            weightsOf(chat, "all_messages"),
          );
        }),
        { numRuns: 30 },
      );
    },
  );

  it("cookbook 5: modes that train on less do so on fewer of the same tokens", () => {
    const order = [
      "last_assistant_message",
      "last_assistant_turn",
      "all_assistant_messages",
      "all_messages",
      "all_tokens",
    ] as const;
    fc.assert(
      fc.property(arbitraryChat(shows), (chat) => {
        const weights = order.map((mode) => weightsOf(chat, mode));
        for (const [index, less] of weights.slice(0, -1).entries()) {
          expect(less.every((weight, at) => weight <= (weights[index + 1]?.[at] ?? 0))).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("cookbook 5: nothing trains on the token that begins a text", () => {
    const chat = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ];
    for (const trainOn of MODES) {
      const { modelInput, weights } = renderer.buildSupervisedExample(chat, { trainOn });
      const first = tokenizer.decode(idsOf(modelInput).slice(0, 1));
      if (BOS.has(first)) expect(weights[0]).toBe(0);
      else expect(first).not.toMatch(/begin/);
    }
  });

  it("cookbook 5: the flags are wanted in one mode and refused in the others", () => {
    const chat = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ];
    const flagged = chat.map((message) => ({ ...message, trainable: message.role === "user" }));
    for (const trainOn of MODES) {
      expect(() => weightsOf(flagged, trainOn), trainOn).toThrow(/messages\[0\].*trainable/);
    }
    expect(() => weightsOf(chat, "customized")).toThrow(/messages\[0\].*trainable/);
    const [first, second] = flagged;
    const missing = [
      { ...first, role: "user", content: "Hi" },
      { role: "assistant", content: second?.content ?? "" },
    ];
    expect(() => weightsOf(missing, "customized")).toThrow(/messages\[1\].*trainable/);
    if (hasOwnMessage) {
      expect(() => weightsOf(flagged, "customized")).toThrow(/message of its own/);
    } else {
      expect(weightsOf(flagged, "customized")).toEqual(weightsOf(chat, "all_user_and_system_messages"));
    }
  });

  it("cookbook 5: the last message is trained on only if it is the assistant's", () => {
    const chat = [
      { role: "assistant", content: "Hello" },
      { role: "user", content: "Hi" },
    ];
    for (const trainOn of ["last_assistant_message", "last_assistant_turn"] as const) {
      expect(weightsOf(chat, trainOn)).not.toContain(1);
    }
  });

  it("refuses a mode that there is none of", () => {
    const chat = [{ role: "user", content: "Hi" }];
    expect(() => weightsOf(chat, "last_message" as TrainOn)).toThrow(
      /trainOn must be one of .*last_assistant_message.* got "last_message"/,
    );
  });
});
