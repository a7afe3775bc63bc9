import { describe, expect, it } from "vitest";
import { TinkexError } from "../errors/tinkex-error.js";
import { visibleText } from "./visible-text.js";

describe("visibleText", () => {
  it.each([
    ["\u001b]0;owned\u0007", "\\u001b]0;owned\\u0007"],
    ["\u009b31mred", "\\u009b31mred"],
    ["one\ntwo\r\n\tthree", "one\\ntwo\\r\\n\\tthree"],
    ["user\u202etxt.exe", "user\\u202etxt.exe"],
    ["a\u2066b\u2069", "a\\u2066b\\u2069"],
    ["a\u2028b\ufeff", "a\\u2028b\\ufeff"],
    ["half \ud83d of a pair", "half \\ud83d of a pair"],
    ["\u{e0041}", "\\u{e0041}"],
    // The joiner of emoji and of several scripts stays.
    ["Grüße, 👩‍🔬, नमस्ते and \\n", "Grüße, 👩‍🔬, नमस्ते and \\n"],
  ])("of %j shows %j", (text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it("leaves the lines of a text of many lines", () => {
    expect(visibleText("a\n\tb\r\u001b", true)).toBe("a\n\tb\\r\\u001b");
  });

  it("is what an error's message goes through, whoever wrote the words in it", () => {
    const error = new TinkexError("no model \u001b[2J\u202ex\nfaked log line", { code: "not_found" });
    expect(error.message).toBe("no model \\u001b[2J\\u202ex\\nfaked log line");
  });
});
