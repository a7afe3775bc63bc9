import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "./compile-template.js";
import { PLAIN_STRINGS, peoplesStrings, type StringMaker } from "./values/from-json.js";
import { plain } from "./values/text.js";

interface Recorded {
  readonly source: string;
  readonly result: { readonly text?: string; readonly error?: string };
}

/** Random templates and what jinja2 renders of them: tooling/conformance/template_cases.py wrote them. */
const fixture = new URL("../../fixtures/templates/random-templates.jsonl.gz", import.meta.url);
const [head = "{}", ...lines] = gunzipSync(readFileSync(fixture)).toString().trimEnd().split("\n");
const { jinja2, variables } = JSON.parse(head);
const recorded: readonly Recorded[] = lines.map((line) => JSON.parse(line));

function rendered(
  source: string,
  strings: StringMaker,
): { readonly text: string } | { readonly error: Error } {
  try {
    return { text: plain(compileTemplate(source).render({ own: {}, peoples: variables }, strings)) };
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }
}

const results = recorded.map(({ source, result }) => ({
  source,
  theirs: result,
  ours: rendered(source, PLAIN_STRINGS),
}));

/** Refusals of templates that jinja2 renders: none of these stands in a template of a model. */
const REFUSED_HERE =
  /is not supported here \(line \d+\)$|a (?:int|bool|float|dict|NoneType) has no slices \(line \d+\)$/;

describe("1,000 random templates", () => {
  it("were rendered by the jinja2 that this package follows", () => {
    expect(jinja2).toBe("3.1.6");
    expect(recorded).toHaveLength(1_000);
    // Both kinds are there, or nothing is shown.
    expect(recorded.filter(({ result }) => result.text !== undefined).length).toBeGreaterThan(350);
    expect(recorded.filter(({ result }) => result.error !== undefined).length).toBeGreaterThan(350);
  });

  it("have jinja2's text or an error, also where jinja2 has an error", () => {
    const different = results.filter(({ theirs, ours }) => "text" in ours && ours.text !== theirs.text);
    expect(different).toEqual([]);
  });

  it("have the same text where it is told which words are people's", () => {
    const strings = peoplesStrings((character) => "<|>a".includes(character));
    const different = results.filter(({ source, ours }) => {
      const marked = rendered(source, strings);
      return "text" in ours ? !("text" in marked) || marked.text !== ours.text : "text" in marked;
    });
    expect(different).toEqual([]);
  });

  it("are refused by a ValidationError with the line", () => {
    const refused = results.flatMap(({ ours }) => ("error" in ours ? [ours.error] : []));
    expect(refused.filter((error) => !(error instanceof ValidationError))).toEqual([]);
    expect(
      refused.map((error) => error.message).filter((message) => !/ \(line \d+\)$/.test(message)),
    ).toEqual([]);
  });

  it("are seldom refused where jinja2 renders them, and then by the name of the construct", () => {
    const alone = results.flatMap(({ theirs, ours }) =>
      "error" in ours && theirs.text !== undefined ? [ours.error.message] : [],
    );
    expect(alone.filter((message) => !REFUSED_HERE.test(message))).toEqual([]);
    expect(alone.length).toBeLessThanOrEqual(25);
  });
});
