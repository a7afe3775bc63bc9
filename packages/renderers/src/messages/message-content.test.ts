import { expect, it } from "vitest";
import { contentAsText, hasThinking, textOf, thinkingOf, withoutThinking } from "./message-content.js";

const text = { type: "text", text: "4" } as const;
const thinking = { type: "thinking", thinking: "2+2" } as const;
const image = { type: "image", image: "data:image/png;base64,AA==" } as const;

it("tells text from thinking", () => {
  const content = [thinking, text, image, text];
  expect(textOf(content)).toBe("44");
  expect(thinkingOf(content)).toBe("2+2");
  expect(hasThinking(content)).toBe(true);
  expect(withoutThinking(content)).toEqual([text, image, text]);
  expect(contentAsText(content)).toBe("<think>2+2</think>\n4\n<image>\n4");
});

it("takes a string for a single text", () => {
  expect([textOf("<think>4"), thinkingOf("4"), contentAsText("4"), withoutThinking("4")]).toEqual([
    "<think>4",
    "",
    "4",
    "4",
  ]);
  expect(hasThinking("<think>4</think>")).toBe(false);
});
