import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "../compile-template.js";
import { PLAIN_STRINGS } from "./from-json.js";
import { PythonFloat } from "./python-float.js";
import { plain } from "./text.js";

const render = (source: string, x: unknown): string =>
  plain(compileTemplate(source).render({ own: {}, peoples: { x } }, PLAIN_STRINGS));

/** Ids of posts and of users are as large as this one, which is 1_234_567_890_123_456_800 to JavaScript. */
const ID = 1_234_567_890_123_456_789n;

// earendil-works/pi#8943: a call with such an id comes back rounded, and the model takes it for its own mistake.
describe("numbers among the values of a template", () => {
  it.each([
    ["an id that JSON.parse has rounded", JSON.parse("1234567890123456789")],
    ["the first that two integers share", 2 ** 53],
    ["a negative one", -(2 ** 60)],
    ["the last before exponents", 999_999_999_999_999_900_000],
  ])("are refused with the place where digits may be lost: %s", (_, value) => {
    const given = [{ tool_calls: [{ arguments: { "post id": value } }] }];
    expect(() => render("{{ x }}", given)).toThrow(
      `: x[0].tool_calls[0].arguments["post id"]: a whole number beyond 2^53 must be a bigint, or a PythonFloat where it is a float, got ${value}; JSON.parse rounds it`,
    );
    // Also where the template does not look at it: the same chat is refused by every template.
    expect(() => render("", value)).toThrow("x: a whole number beyond 2^53");
  });

  it.each([
    // Each result is that of jinja2 3.1.6 with transformers' tojson.
    ["{{ x }}", Number.MAX_SAFE_INTEGER, "9007199254740991"],
    ["{{ x }}|{{ [x] }}|{{ x|tojson }}", ID, "1234567890123456789|[1234567890123456789]|1234567890123456789"],
    ["{{ x }}|{{ x|tojson }}", -(10n ** 30n), `-1${"0".repeat(30)}|-1${"0".repeat(30)}`],
    ["{{ x is integer }} {{ x is number }} {{ x is float }} {{ x is string }}", ID, "True True False False"],
    ["{{ x is mapping }} {{ x is iterable }} {{ x is none }} {{ x is true }}", ID, "False False False False"],
    [
      "{{ x == x }} {{ x != 7 }} {{ x == '7' }} {{ x in [1, x] }} {{ not x }}",
      ID,
      "True True False True False",
    ],
    [
      "{{ x ~ '!' }} {{ x|string|length }} {{ '%s' % x }} {{ [x, 1]|join('-') }}",
      ID,
      `${ID}! 19 ${ID} ${ID}-1`,
    ],
    ["{{ x }}|{{ x|tojson }}", 7n, "7|7"],
    ["{{ x }}|{{ x|tojson }}|{{ x is float }}", new PythonFloat(1), "1.0|1.0|True"],
    ["{{ x }}|{{ x|tojson }}", new PythonFloat(1e17), "1e+17|1e+17"],
    ["{{ x }}|{{ x|tojson }}", [1e21, 0.5], "[1e+21, 0.5]|[1e+21, 0.5]"],
  ])("print as in Python: %s of %s", (source, value, wanted) => {
    expect(render(source, value)).toBe(wanted);
  });

  it.each([
    "{{ x + 1 }}",
    "{{ x < 1 }}",
    "{{ -x }}",
    "{{ x|int }}",
    "{{ '%d' % x }}",
    "{{ {x: 1} }}",
    "{{ 'a' * x }}",
  ])("beyond 2^53 are not calculated with: %s", (source) => {
    expect(() => render(source, ID)).toThrow(
      "calculating with a number beyond 2^53 is not supported here (line 1)",
    );
  });

  it("beyond 2^53 are not compared with floats", () => {
    expect(() => render("{{ x == 1.5 }}", ID)).toThrow("comparing a number beyond 2^53 with a float");
  });
});

describe("PythonFloat", () => {
  it.each(["1", 1n, null, undefined, {}])("refuses what is no number: %s", (value) => {
    expect(() => Reflect.construct(PythonFloat, [value])).toThrow(ValidationError);
  });
});

// josdejong/jsoneditor#1351, CarlosNZ/json-edit-react#155: such fields come out in the order of their numbers, as OrdinaryOwnPropertyKeys of
// ECMAScript has it; jinja2 prints them as they were written.
describe("an object with fields that are named by numbers", () => {
  const value = JSON.parse('{"b": 1, "10": 2, "2": 3, "B": 2}');
  const DICT = { a: [value] };

  it.each([
    "{{ x }}",
    "{{ x.a[0] }}",
    "{{ x|tojson }}",
    "{% for key in x.a[0] %}{% endfor %}",
    "{{ x.a[0]|items|list }}",
    "{{ x.a[0].items() }}",
    "{{ x.a[0].keys() }}",
    "{{ x.a[0].values()|list }}",
    "{{ x.a[0]|list }}",
    "{{ x.a[0]|join }}",
    "{{ x.a[0]|first }}",
    "{{ x.a[0].copy()|string }}",
    "{{ dict(x.a[0]) }}",
    "{{ dict(**x.a[0]) }}",
    // Two values are equal, so that the order of their keys shows.
    "{{ x.a[0]|dictsort(by='value') }}",
    "{{ x.a[0]|dictsort(false, 'value') }}",
  ])("is refused with its place where a template goes through it: %s", (source) => {
    expect(() => render(source, DICT)).toThrow(
      "x.a[0]: an object whose field '2' is named by a number does not keep its order; read the chat with parseChat, or pass a Map in its place (line 1)",
    );
  });

  it.each([
    // Each result is that of jinja2 3.1.6 with transformers' tojson.
    ["no look at it", "no look at it"],
    ["{{ x.a|length }} {{ x.a[0]|length }} {{ x.a[0] is mapping }}", "1 4 True"],
    ["{{ x.a[0]['10'] }} {{ x.a[0].get('2') }} {{ x.a[0].b }} {{ x.a[0].c is defined }}", "2 3 1 False"],
    ["{{ '10' in x.a[0] }} {{ 'c' in x.a[0] }} {{ 1 if x.a[0] else 0 }}", "True False 1"],
    ["{{ x.a[0] == {'2': 3, 'B': 2, '10': 2, 'b': 1} }} {{ x.a[0] == {} }}", "True False"],
    ["{{ x.a[0]|dictsort }}", "[('10', 2), ('2', 3), ('b', 1), ('B', 2)]"],
    ["{{ x.a[0]|dictsort(true, reverse=true) }}", "[('b', 1), ('B', 2), ('2', 3), ('10', 2)]"],
    ["{{ x|tojson(sort_keys=true) }}", '{"a": [{"10": 2, "2": 3, "B": 2, "b": 1}]}'],
    ["{{ '{b}'.format_map(x.a[0]) }}", "1"],
    ["{{ x.a[0]|pprint }}", "{'10': 2, '2': 3, 'B': 2, 'b': 1}"],
  ])("is asked what does not depend on their order: %s", (source, wanted) => {
    expect(render(source, DICT)).toBe(wanted);
  });

  it("keeps its order as a Map, and alone has none to lose", () => {
    expect(render("{{ x }}", [new Map(Object.entries({ b: 1 })).set("1", 2), { 1: 2 }])).toBe(
      "[{'b': 1, '1': 2}, {'1': 2}]",
    );
  });
});

describe("places of other values that are refused", () => {
  it.each([[{ a: [() => 1] }, "x.a[0]: a function among the values"]])("%o", (value, wanted) => {
    expect(() => render("", value)).toThrow(wanted);
  });

  it("are found in a value that holds itself", () => {
    const own: unknown[] = [];
    own.push({ own });
    expect(() => render("", own)).toThrow("x[0].own: a value within itself");
  });
});
