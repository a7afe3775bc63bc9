import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "./compile-template.js";
import { PLAIN_STRINGS } from "./values/from-json.js";
import { plain } from "./values/text.js";

interface Recorded {
  readonly expression: string;
  readonly text?: string;
  readonly error?: string;
}

/** Formats, methods, filters and operators with many values: `fixtures/templates/record_calls.py` wrote them. */
const fixture = new URL("../../fixtures/templates/recorded-calls.jsonl.gz", import.meta.url);
const [head = "{}", ...lines] = gunzipSync(readFileSync(fixture)).toString().trimEnd().split("\n");
const recorded: readonly Recorded[] = lines.map((line) => JSON.parse(line));

const results = recorded.map((theirs) => {
  try {
    const template = compileTemplate(`{{ ${theirs.expression} }}`);
    return { theirs, text: plain(template.render({ own: {}, peoples: {} }, PLAIN_STRINGS)) };
  } catch (error) {
    return { theirs, error };
  }
});

describe("4,500 calls with many values", () => {
  it("were recorded with the jinja2 that this package follows", () => {
    expect(JSON.parse(head)).toEqual({ jinja2: "3.1.6", transformers: "5.24.0" });
    expect(recorded.filter(({ text }) => text !== undefined).length).toBeGreaterThan(2_500);
    expect(recorded.filter(({ error }) => error !== undefined).length).toBeGreaterThan(500);
  });

  it("give jinja2's text or an error, also where jinja2 has an error", () => {
    expect(results.filter(({ theirs, text }) => text !== undefined && text !== theirs.text)).toEqual([]);
  });

  it("are seldom refused where jinja2 has a text, and then by name", () => {
    const refused = results.flatMap(({ theirs, error }) =>
      error !== undefined && theirs.text !== undefined ? [error] : [],
    );
    const named = / is not supported here \(line 1\)$|'z\.1f' is no format specification/;
    expect(
      refused.filter((error) => !(error instanceof ValidationError && named.test(error.message))),
    ).toEqual([]);
    expect(refused.length).toBeLessThan(120);
  });
});
