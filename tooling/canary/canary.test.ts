import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  CANARY_KEY,
  CANARY_PROMPT,
  CANARY_TOKENS,
  everythingOf,
  findCanaries,
  WITNESS_FILE,
  witness,
  witnessLogger,
} from "./index.mjs";

describe("findCanaries", () => {
  it.each([
    ["as it is", `x-api-key: ${CANARY_KEY}`, "the canary key"],
    ["in base64, wherever it begins", Buffer.from(`ab${CANARY_KEY}cd`).toString("base64"), "the canary key"],
    ["in hexadecimal", Buffer.from(CANARY_KEY).toString("hex"), "the canary key"],
    ["in a URL", `?q=${encodeURIComponent(CANARY_PROMPT)}`, "the canary prompt"],
    ["in a form", new URLSearchParams({ q: CANARY_PROMPT }).toString(), "the canary prompt"],
    ["in JSON", JSON.stringify({ prompt: CANARY_PROMPT }), "the canary prompt"],
    ["as tokens in JSON", JSON.stringify({ tokens: [1, ...CANARY_TOKENS] }), "the canary's tokens"],
    [
      "as tokens inspected",
      inspect(Array.from({ length: 40 }, () => CANARY_TOKENS).flat()),
      "the canary's tokens",
    ],
    ["as tokens in colour", inspect(CANARY_TOKENS, { colors: true }), "the canary's tokens"],
    [
      "as a typed array",
      inspect({ a: { b: Int32Array.from(CANARY_TOKENS) } }, { compact: false }),
      "the canary's tokens",
    ],
    ["as big integers", inspect(BigInt64Array.from(CANARY_TOKENS, BigInt)), "the canary's tokens"],
    ["as the bytes of a buffer", inspect(Buffer.from(CANARY_KEY)), "the canary key"],
    ["in large hexadecimal", Buffer.from(CANARY_KEY).toString("hex").toUpperCase(), "the canary key"],
    ["as the bytes of an array", inspect(new TextEncoder().encode(CANARY_PROMPT)), "the canary prompt"],
    ["as bytes in JSON", JSON.stringify(Buffer.from(CANARY_PROMPT)), "the canary prompt"],
    [
      "as bytes by their place in JSON",
      JSON.stringify(new TextEncoder().encode(`{"p":"${CANARY_PROMPT}"}`)),
      "the canary prompt",
    ],
  ])("finds one %s", (_, text, what) => {
    const [found] = findCanaries(`first line\n${text}`);
    expect(found).toMatchObject({ what });
    expect(found?.line).toBeGreaterThan(1);
  });

  it("finds nothing where there is nothing, nor shows what it found", () => {
    expect(findCanaries("tml-canary-of-another-test, a canary, 58213 and then 90467")).toEqual([]);
    expect(findCanaries(JSON.stringify({ ...CANARY_TOKENS.map((token) => -token) }))).toEqual([]);
    expect(JSON.stringify(findCanaries(CANARY_KEY + CANARY_PROMPT))).not.toMatch(/tml-|quartz/);
  });
});

describe("what is witnessed", () => {
  it("is all that a value shows, to the bottom", () => {
    const hidden = Object.defineProperty(new Error("a"), "secret", { value: "hidden", enumerable: false });
    const deep = { a: { b: { c: { d: { e: { f: "deep" } } } } } };
    const cause = new Error("outer", { cause: hidden });
    const long = [...Array.from({ length: 500 }, (_, n) => n), "far back"];
    const shown = everythingOf({ deep, cause, long, toString: () => "as text", toJSON: () => "as json" });
    for (const part of ["hidden", "deep", "far back", "as text", "as json"]) expect(shown).toContain(part);
  });

  it("goes to the file, line by line, and nowhere without one", () => {
    const folder = temporaryDirectory();
    onTestFinished(() => void vi.unstubAllEnvs());
    const file = join(folder, "witness.log");
    vi.stubEnv(WITNESS_FILE, file);
    witness("here", "value");
    witnessLogger.debug("a line", { of: "details" });
    expect(readFileSync(file, "utf8")).toMatch(
      /^here: 'value'[\s\S]*debug: \[ 'a line', \{ of: 'details' \}/,
    );
    vi.stubEnv(WITNESS_FILE, undefined);
    expect(() => witness("nowhere", "value")).not.toThrow();
  });
});
