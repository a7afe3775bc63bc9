import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { arbitraryChat } from "../testing/arbitrary-messages.js";
import { idsOf } from "../testing/ids-of.js";
import { recordedRenderers } from "../testing/recorded-renderers.js";

/** Ends of the conversation that are the assistant's. */
function answered(chat: readonly Message[]): number[] {
  return chat.flatMap(({ role }, index) => (role === "assistant" ? [index + 1] : []));
}

describe.each(recordedRenderers)("$name", ({ renderer, shows }) => {
  it("cookbook 3: a document begins with the prompt of its head", () => {
    fc.assert(
      fc.property(arbitraryChat(shows), (chat) => {
        const document = idsOf(renderer.buildSupervisedExample(chat).modelInput);
        const prompt = idsOf(renderer.buildGenerationPrompt(chat.slice(0, -1)));
        expect(document.slice(0, prompt.length)).toEqual(prompt);
      }),
      { numRuns: 40 },
    );
  });

  it("cookbook 6: sends no empty chunk, whatever is empty", () => {
    for (const role of ["system", "user", "assistant"]) {
      const chat = [
        { role: "system", content: role === "system" ? "" : "Be kind." },
        { role: "user", content: role === "user" ? "" : "Hi" },
        { role: "assistant", content: role === "assistant" ? "" : "Hello" },
      ];
      for (const { chunks } of [
        renderer.buildGenerationPrompt(chat),
        renderer.buildGenerationPrompt(chat, { prefill: "" }),
        renderer.buildSupervisedExample(chat).modelInput,
      ]) {
        expect(chunks.length).toBeGreaterThan(0);
        for (const chunk of chunks) expect("tokens" in chunk && chunk.tokens.length).toBeGreaterThan(0);
      }
    }
  });
});

const extending = recordedRenderers.filter(({ renderer }) => renderer.hasExtensionProperty);

describe.each(extending)("$name", ({ renderer, shows }) => {
  it("cookbook 3: each prompt begins with the document before it", () => {
    fc.assert(
      fc.property(arbitraryChat(shows), (chat) => {
        const ends = answered(chat);
        for (const [index, end] of ends.slice(1).entries()) {
          const document = idsOf(renderer.buildSupervisedExample(chat.slice(0, ends[index])).modelInput);
          const prompt = idsOf(renderer.buildGenerationPrompt(chat.slice(0, end - 1)));
          expect(prompt.slice(0, document.length)).toEqual(document);
        }
      }),
      { numRuns: 40 },
    );
  });
});
