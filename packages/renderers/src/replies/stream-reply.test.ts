import { describe, expect, it } from "vitest";
import { getRenderer } from "../registry/get-renderer.js";
import { recordedTokenizer } from "../testing/recorded-tokenizers.js";
import { readRecording } from "../testing/recording.js";
import type { ResponseEvent } from "./response-stream.js";

const deepseek = recordedTokenizer(readRecording("deepseekv3_thinking").tokenizer);
const qwen3 = recordedTokenizer(readRecording("qwen3").tokenizer);

function textOfEvents(events: readonly ResponseEvent[]): string {
  return events
    .map((event) => {
      if (event.type === "text") return event.text;
      return event.type === "thinking" ? `[${event.thinking}]` : "";
    })
    .join("");
}

describe("parseResponseStreaming", () => {
  it("starts in thinking where the prompt has opened the block, from the first token on", () => {
    const stream = getRenderer("deepseekv3_thinking", deepseek).parseResponseStreaming();
    expect(stream.push(deepseek.encode("Add"))).toEqual([
      { type: "header", role: "assistant" },
      { type: "thinking", thinking: "Add", index: 1 },
    ]);
    const rest = [...stream.push(deepseek.encode(".</think>4")), ...stream.end()];
    expect(textOfEvents(rest)).toBe("[.]4");
  });

  it("takes a block that the model opens itself as it is, also where the prompt has opened one", () => {
    const stream = getRenderer("deepseekv3_thinking", deepseek).parseResponseStreaming();
    const events = deepseek.encode("<think>Add</think>4").flatMap((id) => stream.push(id));
    expect(textOfEvents(events)).toBe("[Add]4");
  });

  it("holds back what may be a tag, and gives it out when it is none", () => {
    const stream = getRenderer("qwen3", qwen3).parseResponseStreaming();
    const ids = qwen3.encode("a <thin air");
    expect(ids.length).toBeGreaterThan(2);
    const events = ids.map((id) => textOfEvents(stream.push(id)));
    expect(events.join("")).toBe("a <thin air");
    expect(events).not.toContain(" <");
  });

  it("gives nothing more behind the stop token, and the message once", () => {
    const renderer = getRenderer("qwen3", qwen3);
    const stream = renderer.parseResponseStreaming();
    const [end = 0] = renderer.stopSequences as readonly number[];
    const events = stream.push([...qwen3.encode("4"), end, ...qwen3.encode("5"), end]);
    expect(events.map(({ type }) => type)).toEqual(["header", "text", "message"]);
    expect([...stream.push(end), ...stream.end()]).toEqual([]);
  });

  it("gives out an unfinished character at the end only", () => {
    const stream = getRenderer("qwen3", qwen3).parseResponseStreaming();
    const [first = 0] = qwen3.encode("🜛");
    expect(textOfEvents(stream.push(first))).toBe("");
    expect(textOfEvents(stream.end())).toBe("\uFFFD");
  });

  it("says which renderers do not stream", () => {
    const llama3 = recordedTokenizer(readRecording("llama3").tokenizer);
    expect(() => getRenderer("llama3", llama3).parseResponseStreaming()).toThrow(/llama3 does not stream/);
  });
});
