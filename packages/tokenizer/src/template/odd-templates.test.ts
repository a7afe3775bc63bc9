import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "./compile-template.js";
import { PLAIN_STRINGS } from "./values/from-json.js";
import { parsePythonJson } from "./values/parse-python-json.js";
import { plain } from "./values/text.js";

interface Recorded {
  readonly source: string;
  readonly text?: string;
  readonly error?: string;
}

/** Templates of one corner of jinja2 each: `fixtures/templates/record_odd.py` wrote what it renders of them. */
const fixture = new URL("../../fixtures/templates/recorded-odd.jsonl.gz", import.meta.url);
const [head = "{}", ...lines] = gunzipSync(readFileSync(fixture)).toString().trimEnd().split("\n");
const recorded: readonly Recorded[] = lines.map((line) => JSON.parse(line));
// Read as Python does, which keeps the place of keys that are numbers; the fixture has an object here.
const { variables } = parsePythonJson(head) as { readonly variables: Readonly<Record<string, unknown>> };

const results = recorded.map((theirs) => {
  try {
    const template = compileTemplate(theirs.source);
    return { theirs, text: plain(template.render({ own: {}, peoples: variables }, PLAIN_STRINGS)) };
  } catch (error) {
    return { theirs, error };
  }
});

describe("odd templates: keys, methods, formats, slices, loops, macros, undefined names, white space", () => {
  it("were rendered by the jinja2 that this package follows", () => {
    expect(JSON.parse(head)).toMatchObject({ jinja2: "3.1.6", transformers: "5.24.0" });
    expect(recorded.filter(({ text }) => text !== undefined).length).toBeGreaterThan(150);
    expect(recorded.filter(({ error }) => error !== undefined).length).toBeGreaterThan(40);
  });

  it("have jinja2's text or an error, also where jinja2 has an error", () => {
    expect(results.filter(({ theirs, text }) => text !== undefined && text !== theirs.text)).toEqual([]);
  });

  it("are seldom refused where jinja2 has a text, and then by name", () => {
    const refused = results.flatMap(({ theirs, error }) =>
      error !== undefined && theirs.text !== undefined ? [error] : [],
    );
    const named = / is not supported here \(line \d+\)$|'%\*' is no format \(line 1\)$/;
    expect(
      refused.filter((error) => !(error instanceof ValidationError && named.test(error.message))),
    ).toEqual([]);
    expect(refused.length).toBeLessThanOrEqual(12);
  });
});
