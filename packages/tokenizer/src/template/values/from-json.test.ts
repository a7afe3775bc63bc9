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

describe("places of other values that are refused", () => {
  it.each([
    [{ a: [() => 1] }, "x.a[0]: a function among the values"],
    [[{ 2: "b", c: 1 }], "x[0]: an object whose field '2' is named by a number does not keep its order"],
  ])("%o", (value, wanted) => {
    expect(() => render("", value)).toThrow(wanted);
  });

  it("are found in a value that holds itself", () => {
    const own: unknown[] = [];
    own.push({ own });
    expect(() => render("", own)).toThrow("x[0].own: a value within itself");
  });
});
