import { expect, it } from "vitest";
import { sourceRange } from "./source-range.js";

it("is the same range where the normaliser changes nothing", () => {
  expect(sourceRange("a<b>c", "a<b>c", 1, 4, (text) => text)).toEqual({ start: 1, end: 4 });
});

it.each([
  ["joins characters", "e\u0301e\u0301<b>", "<b>", (text: string) => text.normalize("NFC")],
  ["takes them apart", "\u00e9\u00e9<b>c", "<b>", (text: string) => text.normalize("NFD")],
  ["changes the token", "ab<B>c", "<b>", (text: string) => text.toLowerCase().replaceAll("a", "aaa")],
  ["puts something in front", "<b>c", "_<b>", (text: string) => (text === "" ? "" : `_${text}`)],
  ["cuts off", "  x<b>", "<b>", (text: string) => text.trimStart()],
])("is found where the normaliser %s", (_name, text, spelling, normalize) => {
  const normalized = normalize(text);
  const at = normalized.indexOf(spelling);
  const { start, end } = sourceRange(text, normalized, at, at + spelling.length, normalize);
  expect(text.slice(start, end).toLowerCase()).toBe("<b>");
});
