import { describe, expect, it } from "vitest";
import { compileTemplate } from "../compile-template.js";
import { PLAIN_STRINGS } from "../values/from-json.js";
import { plain } from "../values/text.js";

const render = (source: string): string =>
  plain(
    compileTemplate(source).render(
      { own: { s: "old", n: 5, c: false, l: [1, 2] }, peoples: {} },
      PLAIN_STRINGS,
    ),
  );

// pallets/jinja#1829, pallets/jinja#1869: a variable that is set later in the same stretch is undefined in the stretches before.
describe("a variable that is set behind its use, as jinja2 3.1.6 has it", () => {
  it.each([
    ["{% for x in [1] %}{{ s }}{% endfor %}{% set s=1 %}", ""],
    ["{% for x in [1] %}{{ s is defined }}{% endfor %}{% set s=1 %}", "False"],
    ["{% filter upper %}{{ s }}{% endfilter %}{% set s=1 %}", ""],
    ["{% filter upper %}{% for x in [1] %}{{ s }}{% endfor %}{% endfilter %}{% set s=1 %}", ""],
    ["{% if true %}{% for x in [1] %}{{ s }}{% endfor %}{% endif %}{% set s=1 %}", ""],
    ["{% if true %}{% for x in [1] %}{{ s }}{% endfor %}{% set s=1 %}{% endif %}", "old"],
    ["{% if c %}{% set s=1 %}{% endif %}{{ s }}", "old"],
    ["{% for x in l %}{% filter upper %}{{ s }}{% endfilter %}{% set s=1 %}{{ s }}{% endfor %}", "11"],
    ["{% for x in l %}{% filter upper %}{{ s }}{% endfilter %}{% set s=1 %}{% endfor %}{{ s }}", "OLDOLDold"],
    ["{% with %}{{ s }}{% endwith %}{% set s=1 %}", ""],
    ["{% with s=s %}{{ s }}{% endwith %}{% set s=1 %}", "old"],
    ["{% macro f() %}{{ s }}{% endmacro %}{{ f() }}{% set s=1 %}{{ f() }}", "1"],
    ["{% macro f(s) %}{{ s }}{% endmacro %}{{ f(2) }}{% set s=1 %}{{ f(3) }}", "23"],
    ["{% macro f(a=s) %}{% set s=1 %}{{ a }}{% endmacro %}{{ f() }}", "old"],
    ["{% macro f(s=s) %}{{ s }}{% endmacro %}{{ f() }}", ""],
    ["{% macro f(a=s, s=n) %}{{ a }}{{ s }}{% endmacro %}{{ f() }}{{ f(s=1) }}", "511"],
    ["{% macro f(s=3, a=s) %}{{ a }}{% endmacro %}{{ f() }}{{ f(4) }}", "34"],
    ["{% set q %}{{ s }}{% endset %}{{ q }}{% set s=1 %}", ""],
    ["{{ s }}{% for x in [1] %}{{ s }}{% endfor %}{% set s=1 %}", "oldold"],
    ["{% set s=s %}{% for x in [1] %}{{ s }}{% endfor %}", "old"],
    ["{% for x in [1] %}{{ s }}{{ n }}{% endfor %}{% set (s, n)=l %}", ""],
    ["{% filter indent(n) %}a\nb{% endfilter %}{% set n=1 %}", "a\n     b"],
    [
      "{% for x in [1] %}{{ n|default('none') }}{% else %}{{ n }}{% endfor %}{% macro n() %}{% endmacro %}",
      "none",
    ],
    ["{% for s in l %}{{ s }}{% endfor %}{% set s=1 %}{{ s }}", "121"],
  ])("%s gives %j", (source, text) => {
    expect(render(source)).toBe(text);
  });

  it("is seen in a block, which is compiled by itself", () => {
    const block = "{% block b %}{{ s }}{% endblock %}";
    expect(render(`${block}{% for x in [1] %}{{ s }}{% endfor %}{% set s=1 %}{{ self.b() }}`)).toBe("old1");
  });
});
