import { describe, expect, it } from "vitest";
import { blotOut } from "./secrets.js";
import { shownText } from "./shown-text.js";

const KEY = "tml-canary/Key_0123456789~abc";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const each = (write: (code: number) => string): string =>
  Array.from(KEY, (letter) => write(letter.charCodeAt(0))).join("");
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, "0");

describe("blotOut", () => {
  it("takes a secret out that a text quotes more often than a call may have arguments", () => {
    const count = 150_000;
    expect(blotOut(`${KEY} `.repeat(count), [KEY])).toBe("[redacted] ".repeat(count));
  });

  it.each([
    ["as it is", KEY],
    ["in upper case", KEY.toUpperCase()],
    ["its first letter escaped as in JSON", `\\u0074${KEY.slice(1)}`],
    ["all of it escaped as in JSON", each((code) => `\\u${hex(code, 4)}`)],
    ["escaped twice as in JSON", each((code) => `\\\\u${hex(code, 4)}`)],
    ["with an escaped slash", KEY.replace("/", "\\/")],
    ["escaped as in JavaScript", each((code) => `\\x${hex(code, 2)}`)],
    ["escaped by code points", each((code) => `\\u{${hex(code, 1)}}`)],
    ["escaped as in a URL", each((code) => `%${hex(code, 2).toUpperCase()}`)],
    ["escaped twice as in a URL", each((code) => `%25${hex(code, 2)}`)],
    ["escaped as in HTML", each((code) => `&#${code};`)],
    ["escaped as in HTML, in hexadecimal", each((code) => `&#x${hex(code, 2)};`)],
    ["as a URL within JSON", each((code) => `\\u0025${hex(code, 2)}`)],
    ["in hexadecimal", Buffer.from(KEY).toString("hex")],
    ["in UTF-16", Array.from(KEY).join("\0")],
    ["with a line break inside", `${KEY.slice(0, 9)}\r\n${KEY.slice(9)}`],
    ["with a zero-width space inside", `${KEY.slice(0, 9)}\u200b${KEY.slice(9)}`],
    ["with an escaped control character inside", `${KEY.slice(0, 9)}\\u0000${KEY.slice(9)}`],
  ])("finds a key %s", (_, written) => {
    const clean = blotOut(`{"detail":"no such key: ${written}, sorry"} ${written}`, [KEY]);
    expect(clean).toBe('{"detail":"no such key: [redacted], sorry"} [redacted]');
  });

  it.each(["", "x", "xy", "user:", "Bearer "])("finds a key in base64 after %j", (before) => {
    for (const text of [before + KEY, `${before}${KEY}:and more`]) {
      for (const written of [base64(text), Buffer.from(text).toString("base64url")]) {
        const clean = blotOut(`got ${written}.`, [KEY]);
        expect(clean).toContain("[redacted]");
        const left = Buffer.from(clean.replace("[redacted]", ""), "base64").toString("latin1");
        expect(left).not.toContain("canary");
      }
    }
  });

  it("leaves other text as it is", () => {
    const text = `100% of \\u0074he “İstanbul” &#116;ext, ${KEY.slice(0, -4)}`;
    expect(blotOut(text, [KEY])).toBe(text);
    expect(blotOut("x".repeat(100), [])).toBe("x".repeat(100));
  });

  it("takes time in proportion to the length, whatever the text", () => {
    for (const unit of ["\\u0074", "%74", "&#116;", "\\", "\0", KEY, KEY.slice(0, -1), "&#", "\\\\u0074"]) {
      const time = (length: number): number => {
        const text = unit.repeat(length / unit.length);
        const startedAt = performance.now();
        blotOut(text, [KEY]);
        return performance.now() - startedAt;
      };
      time(20_000);
      // A quadratic way would take a hundred times as long.
      expect(time(400_000), unit).toBeLessThan(40 * time(40_000) + 300);
    }
  });
});

describe("shownText", () => {
  it("escapes control characters, also those that blotting out a key has left", () => {
    const text = `\u001b[31m${KEY.slice(0, 5)}\u202e${KEY.slice(5)}\n`;
    expect(shownText(text, [KEY])).toBe("\\u001b[31m[redacted]\\n");
  });

  it("cuts what is long, and no secret in two", () => {
    expect(shownText("x".repeat(5_000), [])).toBe(`${"x".repeat(2_000)}…`);
    const text = `${"x".repeat(90)}${KEY}`;
    expect(shownText(text, [KEY], 100)).toBe(`${"x".repeat(90)}[redacted]`);
  });
});
