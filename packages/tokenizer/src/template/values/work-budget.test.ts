import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { growthOf } from "../../testing/growth-of.js";
import { compileTemplate } from "../compile-template.js";
import { PLAIN_STRINGS } from "./from-json.js";
import { plain } from "./text.js";

const render = (source: string, variables: Readonly<Record<string, unknown>> = {}) =>
  plain(compileTemplate(source).render({ own: variables, peoples: {} }, PLAIN_STRINGS));

const LOOP = (body: string) => `{% for i in range(100000) %}${body}{% endfor %}`;
const GROW = (expression: string, before = "namespace(x='abcdefgh', l=[1])") =>
  `{% set ns = ${before} %}${LOOP(expression)}`;

/** Templates that would take for ever or fill the memory, and what the error names. */
const ENDLESS: readonly (readonly [name: string, source: string, construct: RegExp])[] = [
  [
    "a range beyond what the sandbox allows",
    "{% for i in range(1000000000000) %}{% endfor %}",
    /'range' is too big.*100000/,
  ],
  ["a range that goes down", "{{ range(0, -1000000000000, -1)|length }}", /'range' is too big/],
  ["a range of infinite length", "{{ range(0, 9007199254740991)|join }}", /'range' is too big/],
  ["loops in one another", LOOP(LOOP("")), /'for' takes too many steps/],
  ["loops in one another, with a text", LOOP(LOOP("x")), /too (?:many steps|much)/],
  [
    "loops in a macro",
    `{% macro m() %}${LOOP("{{ i }}")}{% endmacro %}${LOOP("{{ m() }}")}`,
    /too (?:many steps|much)/,
  ],
  [
    "a loop with a condition",
    `{% for i in range(100000) if false %}{% endfor %}`.repeat(100),
    /'for' takes too many steps/,
  ],
  ["join of ranges in a loop", LOOP("{{ range(100000)|join }}"), /too (?:many steps|much)/],
  ["a text repeated", "{{ 'a' * 10**9 }}", /'?\*'? makes too much/],
  ["a text repeated the other way round", "{{ 10**9 * 'a' }}", /\* makes too much/],
  ["a list repeated", "{{ ([1] * 10**9)|length }}", /\* makes too much/],
  ["a tuple repeated", "{{ ((1, 2) * 10**9)|length }}", /\* makes too much/],
  ["a text doubled in a loop", GROW("{% set ns.x = ns.x + ns.x %}"), /\+ makes too much/],
  ["a text doubled by ~", GROW("{% set ns.x = ns.x ~ ns.x %}"), /~ makes too much/],
  ["a list doubled in a loop", GROW("{% set ns.l = ns.l + ns.l %}"), /\+ makes too much/],
  [
    "a list in itself, printed",
    `${GROW("{% set ns.l = [ns.l, ns.l] %}")}{{ ns.l }}`,
    /too (?:much|deep|many steps)/,
  ],
  [
    "a list in itself, as JSON",
    `${GROW("{% set ns.l = [ns.l, ns.l] %}")}{{ ns.l|tojson }}`,
    /too (?:much|deep|many steps)/,
  ],
  [
    "a list in itself, compared",
    `${GROW("{% set ns.l = [ns.l, ns.l] %}")}{{ ns.l == [ns.l, ns.l] }}`,
    /too (?:much|deep|many steps)/,
  ],
  ["a list that grows by one", GROW("{% set ns.l = ns.l + [i] %}"), /\+ makes too much/],
  [
    "a dictionary that grows by one",
    GROW("{% set ns.x = dict(ns.x, **{i|string: i}) %}", "namespace(x={})"),
    /too (?:much|many steps)/,
  ],
  [
    "replace that doubles",
    GROW("{% set ns.x = ns.x.replace('a', 'aa') %}", "namespace(x='aaaa')"),
    /too (?:much|many steps)/,
  ],
  [
    "replace in a loop",
    GROW("{% set ns.x = ns.x|replace('b', 'b' * 100) %}", "namespace(x='bbbb')"),
    /too (?:much|many steps)/,
  ],
  ["join that grows", GROW("{% set ns.x = ns.x.join(['xxxx', 'xxxx', 'xxxx']) %}"), /join makes too much/],
  [
    "upper of a long text",
    `{% set x = 'a' * 1000000 %}${LOOP("{% set y = x.upper() %}")}`,
    /too (?:much|many steps)/,
  ],
  [
    "a search in a long text",
    `{% set x = 'a' * 1000000 %}${LOOP("{{ 'b' in x }}")}`,
    /in takes too many steps/,
  ],
  [
    "length of a long text",
    `{% set x = 'é' * 1000000 %}${LOOP("{{ x|length }}")}`,
    /length takes too many steps/,
  ],
  [
    "split of a long text",
    `{% set x = 'a,' * 1000000 %}${LOOP("{{ x.split(',')|length }}")}`,
    /too (?:much|many steps)/,
  ],
  ["format with a width", "{{ '{:>1000000000}'.format('a') }}", /too wide/],
  ["format by % with a width", "{{ '%1000000000d' % 1 }}", /too wide/],
  ["center", "{{ 'a'|center(10**9) }}", /center makes too much/],
  ["ljust", "{{ 'a'.ljust(10**9) }}", /ljust makes too much/],
  ["zfill", "{{ 'a'.zfill(10**9) }}", /zfill makes too much/],
  ["indent", "{{ 'a\nb'|indent(10**9) }}", /indent makes too much/],
  ["indent many times", GROW("{% set ns.x = ns.x|indent(1000, true) %}"), /too (?:much|many steps)/],
  ["tojson with an indentation", "{{ [[[[1]]]]|tojson(indent=10**9) }}", /not supported here/],
  ["a number of many digits", "{{ 10**1000 }}", /beyond 2\^53/],
  [
    "a number squared again and again",
    GROW("{% set ns.x = ns.x * ns.x %}", "namespace(x=3)"),
    /beyond 2\^53/,
  ],
  ["batch", "{{ [1]|batch(10**9, 0)|list|length }}", /batch makes too much/],
  ["slice", "{{ [1]|slice(10**9)|list|length }}", /slice .*too (?:much|many)/],
  ["sort", LOOP("{{ range(100000)|sort|length }}"), /too (?:much|many steps)/],
  ["unique", "{{ range(100000)|unique|list|length }}", /unique makes too much/],
  [
    "a macro that calls itself",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    /'m' calls itself too deep/,
  ],
  [
    "macros that call each other",
    "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
    /calls itself too deep/,
  ],
  [
    "a macro that calls itself twice",
    "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(100) }}",
    /too (?:many steps|much)/,
  ],
  [
    "a caller that calls itself",
    "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{% call m() %}{{ m() }}{% endcall %}{% endcall %}",
    /undefined|No caller/,
  ],
  [
    "a loop that calls itself",
    "{% for i in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
    /a recursive loop calls itself too deep/,
  ],
  [
    "a filter that is lazy",
    LOOP("{{ range(100000)|map('string')|first }}{{ range(100000)|map('string')|list|length }}"),
    /too (?:many steps|much)/,
  ],
  [
    "loop.length of what is lazy",
    LOOP("{% for j in range(100000)|map('string') %}{{ loop.length }}{% break %}{% endfor %}"),
    /too (?:many steps|much)/,
  ],
  ["a namespace in itself", "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}", /too deep/],
  ["text without end", LOOP("a".repeat(10_000)), /the text of the template makes too much/],
];

describe("a template that would not end", () => {
  it.each(ENDLESS)("stops with an error that names why: %s", (_name, source, construct) => {
    let error: unknown;
    try {
      render(source);
    } catch (cause) {
      error = cause;
    }
    expect(error).toBeInstanceOf(ValidationError);
    expect(String(error)).toMatch(construct);
  });
});

describe("a template that would not compile", () => {
  it.each([
    ["white space in an expression", (length: number) => `{{${" ".repeat(length)}`],
    ["white space in a statement", (length: number) => `{%${" ".repeat(length)}`],
    ["white space before a tag", (length: number) => `${" ".repeat(length)}{%`],
    ["white space before tags", (length: number) => `${" ".repeat(length / 2)}x`.repeat(2)],
    ["lines of white space", (length: number) => " \n".repeat(length)],
    ["tags of generation that are none", (length: number) => `${" ".repeat(length)}{% generatio %}`],
    ["the beginning of raw blocks", (length: number) => "{% raw ".repeat(length / 8)],
    ["a raw block without its end", (length: number) => `{% raw %}${"{% endra ".repeat(length / 8)}`],
    ["a comment without its end", (length: number) => `{#${"#".repeat(length)}`],
    ["braces", (length: number) => "{".repeat(length)],
    ["opening tags", (length: number) => "{{".repeat(length)],
    ["a string without its end", (length: number) => `{{ '${"\\'".repeat(length)}`],
    ["strings", (length: number) => `{{ ${"'a' ".repeat(length / 4)}}}`],
    ["digits", (length: number) => `{{ ${"1_".repeat(length / 2)} }}`],
    ["a name", (length: number) => `{{ ${"a".repeat(length)} }}`],
    ["brackets", (length: number) => `{{ ${"(".repeat(length)} }}`],
    ["lists", (length: number) => `{{ ${"[".repeat(length)} }}`],
    ["not", (length: number) => `{{ ${"not ".repeat(length / 4)} 1 }}`],
    ["minus", (length: number) => `{{ ${"-".repeat(length)} 1 }}`],
    ["plus", (length: number) => `{{ 1 ${"+ 1 ".repeat(length / 4)} }}`],
    ["conditions", (length: number) => `{{ 1 ${"if 1 else 1 ".repeat(length / 12)} }}`],
    ["members", (length: number) => `{{ a${".a".repeat(length / 2)} }}`],
    ["filters", (length: number) => `{{ a${"|trim".repeat(length / 5)} }}`],
    ["blocks in one another", (length: number) => "{% if 1 %}".repeat(length / 10)],
    ["elif", (length: number) => `{% if 1 %}${"{% elif 1 %}".repeat(length / 12)}{% endif %}`],
    [
      "macros in one another",
      (length: number) =>
        `${"{% macro m() %}".repeat(150)}${"{{ a }}".repeat(length / 7)}${"{% endmacro %}".repeat(150)}`,
    ],
    ["one line of tags", (length: number) => "{{ a }}".repeat(length / 7)],
  ])("takes linear time or is refused: %s", (_name, sourceOf) => {
    const compile = (length: number) => {
      try {
        compileTemplate(sourceOf(Math.floor(length)));
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
      }
    };
    expect(growthOf(compile, 200_000)).toBeLessThan(3.5);
  });

  it("is refused when it is larger than any template", () => {
    expect(() => compileTemplate("a".repeat(2 ** 21))).toThrow(/at most 1048576 characters/);
  });
});

describe("what a template may do", () => {
  it("is what jinja2's sandbox allows", () => {
    expect(render("{{ range(100000)|length }}")).toBe("100000");
    expect(() => render("{{ range(100001)|length }}")).toThrow(/'range' is too big/);
    expect(render("{{ range(0, 1000000, 10)|length }}")).toBe("100000");
  });

  it("is more for longer conversations", () => {
    const source = "{% for m in messages %}{% for n in messages %}{% endfor %}{{ m }}{% endfor %}";
    const messages = Array.from({ length: 2_500 }, (_, index) => "x".repeat(400) + index);
    expect(render(source, { messages })).toHaveLength(messages.join("").length);
  });

  it("lets a conversation of 5,000 messages through a template that looks at each of them in many ways", () => {
    const source = `{% set ns = namespace(last=-1, out='') %}
{%- for m in messages[::-1] %}{% if ns.last < 0 and m.role == 'user' %}{% set ns.last = loop.revindex0 %}{% endif %}{% endfor %}
{%- for m in messages %}{% set c = m.content.split('</think>')[-1].lstrip('\\n') %}
{%- set ns.out = ns.out + '<|' + m.role + '|>' + c | trim + '\\n' %}{% endfor %}{{ ns.out }}`;
    const messages = Array.from({ length: 5_000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `<think>no</think>\n\nmessage ${index} ${"word ".repeat(100)}`,
    }));
    expect(render(source, { messages })).toHaveLength(2_616_390);
  });
});
