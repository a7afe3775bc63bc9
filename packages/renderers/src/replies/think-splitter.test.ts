import fc from "fast-check";
import { expect, it } from "vitest";
import type { ResponseEvent } from "./response-stream.js";
import { createThinkSplitter } from "./think-splitter.js";

/** Events of the same kind and index put together. */
function joined(events: readonly ResponseEvent[]): string[] {
  const found = new Map<string, string>();
  for (const event of events) {
    if (event.type !== "text" && event.type !== "thinking") continue;
    const key = `${event.index} ${event.type}`;
    found.set(key, (found.get(key) ?? "") + (event.type === "text" ? event.text : event.thinking));
  }
  return [...found].map(([key, text]) => `${key}: ${text}`);
}

function split(pieces: readonly string[], opening = ""): string[] {
  const splitter = createThinkSplitter(opening);
  return joined([...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]);
}

it("finds tags that are cut into pieces", () => {
  expect(split(["a<th", "ink", ">b</thi", "nk>c"])).toEqual(["0 text: a", "1 thinking: b", "2 text: c"]);
});

it("gives the same however the text is cut", () => {
  const text = "x</think><think>a<thin</thi</think>b<think>c";
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (cuts) => {
      const borders = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      const pieces = borders.slice(1).map((end, index) => text.slice(borders[index], end));
      expect(split(pieces)).toEqual(split([text]));
      expect(split(pieces, "<think>\n")).toEqual(split([text], "<think>\n"));
    }),
  );
  expect(split([text])).toEqual([
    "0 text: x</think>",
    "1 thinking: a<thin</thi",
    "2 text: b",
    "3 thinking: c",
  ]);
});

it("goes on with what the prompt began, unless the model begins it itself", () => {
  expect(split(["a", "</think>", "b"], "<think>\n")).toEqual(["1 thinking: \na", "2 text: b"]);
  expect(split(["<thi", "nk>a</think>b"], "<think>\n")).toEqual(["1 thinking: a", "2 text: b"]);
  expect(split(["<thi"], "<think>\n")).toEqual(["1 thinking: \n<thi"]);
  expect(split([], "<think>\n")).toEqual([]);
});
