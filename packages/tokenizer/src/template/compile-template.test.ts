import { readFileSync } from "node:fs";
import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "./compile-template.js";
import { PLAIN_STRINGS, peoplesStrings, type StringMaker } from "./values/from-json.js";
import { plain, type TextValue } from "./values/text.js";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../fixtures/templates/${name}`, import.meta.url), "utf8"));
const { variables } = read("snippets.json");
/** Results of jinja2 3.1.6 for each snippet, recorded by fixtures/templates/record.py. */
const { results }: { results: Record<string, { text?: string; error?: string }> } = read("recorded.json");

const render = (source: string, strings: StringMaker = PLAIN_STRINGS): TextValue =>
  compileTemplate(source).render({ own: {}, peoples: variables }, strings);

/** Snippets that jinja2 renders and nobody needs: addresses of objects, HTML, and functions of which the results are chance. */
const REFUSED_HERE: ReadonlySet<string> = new Set([
  "{{ m.items }}",
  "{{ s.__class__ }}",
  "{{ l.__len__ }}",
  "{{ 5|items }}",
  "{{ l|map }}",
  "{{ rows|selectattr }}",
  "{{ 'a'.upper }}",
  "{{ 'abc'.encode() }}",
  "{{ l|map('zz') }}",
  "{{ lipsum }}",
  "{{ (-8) ** 0.5 }}",
  "{{ 2 ** 0.3 }}",
  "{{ s.maketrans('a', 'b') }}",
  "{{ s.translate({}) }}",
  "{{ s.encode() }}",
  "{{ n.to_bytes(2, 'big') }}",
  "{{ cycler(1) }}",
  "{{ joiner() }}",
  "{{ s|safe|pprint }}",
  "{{ [1]|random }}",
  "{% autoescape true %}{{ html }}{% endautoescape %}",
  "{% autoescape no %}{{ html }}{% endautoescape %}",
]);

describe("a template", () => {
  const entries = Object.entries(results);

  it.each(entries.filter(([source, { text }]) => text !== undefined && !REFUSED_HERE.has(source)))(
    "is rendered as jinja2 renders it: %j",
    (source, { text }) => {
      expect(plain(render(source))).toBe(text);
      // Telling people's words from the template's own changes nothing.
      expect(
        plain(
          render(
            source,
            peoplesStrings((character) => "<|>a".includes(character)),
          ),
        ),
      ).toBe(text);
    },
  );

  it.each(entries.filter(([source, { text }]) => text === undefined || REFUSED_HERE.has(source)))(
    "is refused with the line, as jinja2 refuses it or where nobody needs it: %j",
    (source) => {
      expect(() => render(source)).toThrow(ValidationError);
      expect(() => render(source)).toThrow(
        /^(?:this chat template cannot be read|the chat template refused this conversation): [\s\S]+ \(line \d+\)$/,
      );
    },
  );
});

// Results of jinja2 3.1.6, or that it refuses.
it.each([
  [`{"a b": "c&d/\u00e9", "x": 1.0, "n": none, "t": true}`, "a+b=c%26d%2F%C3%A9&x=1.0&n=None&t=True"],
  [`[("a", 1), ["b c", "~"], "xy"]`, "a=1&b+c=~&x=y"],
  [`{"k": {"x": 1}}`, "k=%7B%27x%27%3A+1%7D"],
  [`{"a": 1}.items()`, "a=1"],
  ["[]", ""],
  ["[1]", undefined],
  [`[["a", "b", "c"]]`, undefined],
  [`("a", "b")`, undefined],
])("urlencode makes a query of pairs: %s", (value, text) => {
  const render = () =>
    plain(compileTemplate(`{{ ${value}|urlencode }}`).render({ own: {}, peoples: {} }, PLAIN_STRINGS));
  if (text === undefined) expect(render).toThrow(ValidationError);
  else expect(render()).toBe(text);
});

describe("half of a surrogate pair", () => {
  // Python raises a UnicodeEncodeError, and JavaScript's encodeURIComponent an error of its own.
  it("is refused by urlencode, and passed on by other filters", () => {
    const render = (source: string) =>
      plain(compileTemplate(source).render({ own: {}, peoples: { x: "a\ud800" } }, PLAIN_STRINGS));
    expect(() => render("{{ x|urlencode }}")).toThrow(ValidationError);
    expect(() => render("\n{{ x|urlencode }}")).toThrow(
      "'urlencode' needs text without halves of surrogate pairs (line 2)",
    );
    expect(render("{{ x|upper }}{{ x|length }}")).toBe("A\ud8002");
  });
});

describe("what other engines were reported for", () => {
  const report = (source: string, x: unknown) =>
    plain(compileTemplate(source).render({ own: {}, peoples: { x } }, PLAIN_STRINGS));

  // Each result is that of jinja2 3.1.6.
  it.each([
    // huggingface/swift-jinja#64: strip and its kin took no characters, and stripped white space.
    ["{{ x.strip('</answer>') }}", "xy</answer>", "xy"],
    ["{{ x.split('</think>')[-1].lstrip('\n') }}", "a</think>\n\n  x", "  x"],
    ["{{ x.rstrip('\n') }}|", "x \n\n", "x |"],
    // mitsuhiko/minijinja#911, vllm-project/vllm#38885: true, false and none in JavaScript's or Rust's words.
    ["{{ x }}", { yes: true, no: [false, null] }, "{'yes': True, 'no': [False, None]}"],
    ["{% for k, v in x|items %}{{ k }}={{ v }};{% endfor %}", { a: true, b: null }, "a=True;b=None;"],
    // ggml-org/llama.cpp#25916, lmstudio-ai/lmstudio-bug-tracker#2180: a tool's property with the name of a method.
    ["{% for k, v in x.items() %}{{ k }};{% endfor %}", { items: { type: "str" }, get: 1 }, "items;get;"],
    ["{{ x.keys()|list }}{{ x['keys'] }}", { keys: 1, values: 2 }, "['keys', 'values']1"],
    // janl/mustache.js#163: JavaScript counts the mark of byte order among white space, and Python does not.
    ["[{{ x|trim }}][{{ x.strip() }}][{{ x.lstrip() }}]", "\ufeffa ", "[\ufeffa][\ufeffa][\ufeffa ]"],
    ["{{ x.split()|length }}", "a\ufeffb\u0085c", "2"],
    // PEP 393: a text of Python has code points, where that of JavaScript has UTF-16 units.
    ["{{ x|length }}{{ x[0] }}{{ x[-1] }}{{ x[1:] }}{{ x|reverse }}", "😀ab", "3😀babba😀"],
    ["{{ x.find('b') }}{{ '%-3s|' % x }}{{ x.center(4, '.') }}", "😀b", "1😀b |.😀b."],
    // huggingface/swift-jinja#76: comments with dashes kept the white space beside them.
    ["a\n  {#- c -#}\n b", "", "ab"],
    // huggingface/swift-transformers#322: blocks on lines of their own left their line breaks.
    ["  {% if true %}\nx\n  {% endif %}\ny\n", "", "x\ny"],
  ])("%j is rendered as in Python", (source, x, wanted) => {
    expect(report(source, x)).toBe(wanted);
  });
});
