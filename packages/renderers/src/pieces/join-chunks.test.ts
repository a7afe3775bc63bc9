import { expect, it } from "vitest";
import { joinChunks } from "./join-chunks.js";

const text = (...tokens: number[]) => ({ type: "encoded_text", tokens }) as const;
const image = { type: "image", data: new Uint8Array([1]), format: "png", expected_tokens: 3 } as const;

it("joins neighbours of text, and leaves the others where they are", () => {
  const chunks = [text(1), text(2, 3), image, text(4), text(), text(5)];
  expect(joinChunks(chunks)).toEqual([text(1, 2, 3), image, text(4, 5)]);
});

it("joins a document of more tokens than a call takes arguments", () => {
  const document = text(...new Int32Array(50_000));
  const long = { type: "encoded_text" as const, tokens: Int32Array.from({ length: 300_000 }, (_, id) => id) };
  const [joined] = joinChunks([document, long]);
  expect(joined).toMatchObject({ type: "encoded_text" });
  expect(joined !== undefined && "tokens" in joined ? joined.tokens.length : 0).toBe(350_000);
});
