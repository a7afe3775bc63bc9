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

  it.each([
    ["lists", `{"detail":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
    ["objects", `${'{"detail":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["lists in a fault", `{"detail":[{"loc":["a"],"msg":${"[".repeat(99_999)}${"]".repeat(99_999)}}]}`],
    ["a list at the top", `${"[".repeat(150)}${"]".repeat(150)}`],
  ])("reads deeply nested %s as text", (_, text) => {
    const { value, summary } = read(text);
    expect(value).toBe(`${text.slice(0, 200)}…`);
    expect(summary).toBe(`${text.slice(0, 200)}…`);
  });

  it.each([
    ["numbers", "1,"],
    ["faults", '{"loc":["a","b"],"msg":"no"},'],
    ["lists", "[],"],
    ["keys", '{"detail":"x"},'],
  ])("writes no more of a mebibyte of %s than it shows", (_, unit) => {
    const text = `{"detail":[${unit.repeat(1_000_000 / unit.length)}${unit.slice(0, -1)}]}`;
    expect(read(text, ["tml-canary"]).summary).toHaveLength(501);
  });

  it("reads no more than the beginning of a body that is longer than errors are", () => {
    const { value } = read(`"${"x".repeat(3 * 1024 * 1024)}"`);
    expect(value).toBe(`"${"x".repeat(199)}…`);
  });

  it("quotes no step of a place that is no word at length", () => {
    const detail = [{ loc: ["body", 0, { a: "x".repeat(1000) }], msg: "bad" }];
    expect(read(JSON.stringify({ detail })).summary).toMatch(/^body\.0\.\{"a":"x{400,500}…$/);
  });

  it.each([
    ["as it is", '{"detail":"tml-canary"}'],
    ["escaped", '{"detail":"\\u0074ml-canary"}'],
    ["as a name", '{"\\u0074ml-canary":1}'],
    ["within a list", '{"detail":[{"loc":["\\u0074ml-canary"],"msg":"tml\\u002dcanary"}]}'],
    ["in a page", "<b>tml&#45;canary</b>"],
    ["in JSON that is cut short", '{"detail":"\\u0074ml-canary'],
    ["percent-encoded", "see /login?key=tml%2Dcanary"],
    ["in base64", `{"detail":"Basic ${btoa("me:tml-canary-key")}"}`],
  ])("holds no key that is quoted %s", (_, text) => {
    const { value, summary } = read(text, ["tml-canary", "tml-canary-key"]);
    expect(summary).toContain("[redacted]");
    expect(JSON.stringify(value)).toContain("[redacted]");
    expect(JSON.stringify({ value, summary })).not.toMatch(/canary/);
  });

  it("shows control characters instead of obeying them", () => {
    expect(read('{"detail":"\\u001b]0;owned\\u0007\\u202e"}').summary).toBe("\\u001b]0;owned\\u0007\\u202e");
    expect(read("\u009b31m red").summary).toBe("\\u009b31m red");
  });
});
