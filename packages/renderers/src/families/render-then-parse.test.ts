import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../messages/message.js";
import { textOf, thinkingOf } from "../messages/message-content.js";
import type { Renderer, SupervisedExample } from "../renderer/renderer.js";
import { arbitraryAnswer } from "../testing/arbitrary-messages.js";
import { idsOf } from "../testing/ids-of.js";
import { recordedRenderers } from "../testing/recorded-renderers.js";

/** The tokens that a model would have sampled. */
function produced({ modelInput, weights }: SupervisedExample): number[] {
  return idsOf(modelInput).filter((_, index) => weights[index] === 1);
}

/** What a message says; families differ in the white space around calls and in the spacing of arguments. */
function saying({ content, tool_calls = [] }: Message): unknown {
  return {
    text: textOf(content).trim(),
    thinking: thinkingOf(content),
    calls: tool_calls.map(({ function: { name, arguments: args } }) => [name, JSON.parse(args)]),
  };
}

function streamed(renderer: Renderer, ids: readonly number[]): Message | undefined {
  const stream = renderer.parseResponseStreaming();
  const last = [...ids.flatMap((id) => stream.push(id)), ...stream.end()].at(-1);
  return last?.type === "message" ? last.message : undefined;
}

describe.each(recordedRenderers)("$name", ({ renderer, shows }) => {
  it("cookbook 4: reads back what it has written", () => {
    fc.assert(
      fc.property(arbitraryAnswer(shows), (answer) => {
        const ids = produced(renderer.buildSupervisedExample([{ role: "user", content: "Hi" }, answer]));
        const { message, termination, failure } = renderer.parseResponse(ids);
        expect(saying(message)).toEqual(saying(answer));
        expect([termination, failure]).toEqual(["stop_sequence", null]);
        if (renderer.supportsStreaming) expect(streamed(renderer, ids)).toEqual(message);
      }),
      { numRuns: 60 },
    );
  });
});
