import { describe, expect, it } from "vitest";
import { readErrorBody } from "./error-body.js";

const read = (text: string, secrets: string[] = []): ReturnType<typeof readErrorBody> =>
  readErrorBody(new TextEncoder().encode(text), secrets);

describe("readErrorBody", () => {
  it.each([
    ["", "", ""],
    ["  nope \n", "nope", "nope"],
    ['{"detail":"bad"}', { detail: "bad" }, "bad"],
    ["[]", [], "[]"],
    ['"str"', "str", "str"],
    ['{"a":1}', { a: 1 }, '{"a":1}'],
    ["null", null, "null"],
  ])("transport 68: %j", (text, value, summary) => {
    expect(read(text)).toEqual({ value, summary });
  });

  it("names the place and the fault of a refused body, and drops what it quotes of it", () => {
    const detail = [
      { type: "missing", loc: ["body", "prompt"], msg: "Field required", input: "canary prompt" },
    ];
    const { value, summary } = read(JSON.stringify({ detail }));
    expect(summary).toBe("body.prompt: Field required");
    expect(JSON.stringify(value)).not.toContain("canary");
  });

  it("BR-029: keeps 200 characters of a page", () => {
    expect(read(`<html>${"x".repeat(1000)}`).value).toHaveLength(201);
  });

  it("blots out secrets that the server quotes", () => {
    const { value, summary } = read('{"detail":"bad key tml-canary"}', ["tml-canary"]);
    expect(summary).toBe("bad key [redacted]");
    expect(value).toEqual({ detail: "bad key [redacted]" });
  });

  it("survives bytes that are no text", () => {
    expect(readErrorBody(Uint8Array.of(0xff, 0xfe)).summary).toHaveLength(2);
  });
});
