"""Random statements of Jinja around random expressions, and source that is no template at all."""

from template_expressions import TYPES, any_expression, expression, pick, rng

WHITE_SPACE = ["", "", "\n", " ", "\n  ", "\n\n", "  \n", "\t"]


def white_space():
    return pick(WHITE_SPACE)


def opening():
    return pick(["{%", "{%", "{%", "{%-", "{%-", "{%+"])


def closing():
    return pick(["%}", "%}", "%}", "-%}", "-%}", "+%}"])


def tag(x):
    return f"{opening()} {x} {closing()}"


def printed(x):
    return f"{pick(['{{','{{','{{-'])} {x} {pick(['}}','}}','-}}'])}"


LOOP_VALUES = [
    "loop.index", "loop.index0", "loop.first", "loop.last", "loop.length", "loop.revindex", "loop.revindex0",
    "loop.depth", "loop.depth0", "loop.previtem", "loop.nextitem", "loop.cycle('a','b')", "loop.changed(i)",
    "loop.nope", "loop", "loop.previtem is defined", "loop.nextitem|default('-')", "loop.changed(i, 1)",
]


def statements(d, loop=False):
    return "".join(white_space() + statement(d, loop) for _ in range(rng.randint(1, 3))) + white_space()


def target():
    return pick(["i", "i", "a, b", "(a, b)", "k, v", "i, (a, b)", "s", "[a, b]"])


def statement(d, loop):
    r = rng.random()
    if d <= 0 or r < 0.25:
        return printed(
            expression(pick(TYPES), 1)
            if not loop or rng.random() < 0.5
            else pick(LOOP_VALUES + ["i", "a", "b", "k", "v", "i.k", "y", "ns.x"])
        )
    if r < 0.30:
        return pick(["text", "<|im_start|>", "{ x }", "é", "{# c #}", "{#- c -#}", "{#\n#}\n", "{#+ c +#}"])
    if r < 0.40:
        x = tag("if " + any_expression(1)) + statements(d - 1, loop)
        if rng.random() < 0.3:
            x += tag("elif " + any_expression(1)) + statements(d - 1, loop)
        if rng.random() < 0.5:
            x += tag("else") + statements(d - 1, loop)
        return x + tag("endif")
    if r < 0.58:
        it = pick(
            [
                expression("list", 1), expression("dict", 1), "m.items()", "rows", "pairs", "messages", "range(3)",
                "deep.items()", "l", any_expression(1), "ls|reverse", "rows|map(attribute='k')",
                "rows|groupby('v')", "s",
            ]
        )
        tg = target()
        cond = (
            f" if {pick(['i','loop.index', any_expression(1), 'i is defined', 'i != 1', 'a', 'i.k'])}"
            if rng.random() < 0.25
            else ""
        )
        rec = " recursive" if rng.random() < 0.08 else ""
        x = tag(f"for {tg} in {it}{cond}{rec}") + statements(d - 1, True)
        if rec:
            x += printed(pick(["loop(i)", "loop([])", "loop(el)", "loop(i.children)", "loop.depth"]))
        if rng.random() < 0.25:
            x += (
                tag("if " + pick(["loop.index == 2", "i", "loop.first", any_expression(0)]))
                + tag(pick(["break", "continue"]))
                + tag("endif")
                + statements(0, True)
            )
        if rng.random() < 0.25:
            x += tag("else") + statements(d - 1, loop)
        return x + tag("endfor")
    if r < 0.66:
        return tag(
            f"set {pick(['y','y','s','i','n','a, b','y, z', 'ns.x'])} = {pick([any_expression(1), 'y|default(0) + 1', 'l', 'pairs[0]', '1, 2', any_expression(2)])}"
        )
    if r < 0.70:
        return (
            tag("set ns = namespace(x=0" + pick(["", ", y=l"]) + ")")
            + tag(f"set ns.x = {pick(['ns.x + 1', any_expression(1)])}")
            + printed("ns.x")
            + (printed("ns") if rng.random() < 0.1 else "")
        )
    if r < 0.75:
        name = pick(["f", "g"])
        params = pick(["", "a", "a, b=2", "a, b=a", "a='d', b=none", "a, b=y", "caller", "a=loop"])
        body = statements(d - 1, loop) + printed(
            pick(
                [
                    "a", "b", "varargs", "kwargs", "caller()", "varargs|length", "kwargs.x", "caller", "name", "y",
                    "caller(1, 2)", "kwargs|length",
                ]
            )
        )
        call = pick(
            [
                f"{name}()", f"{name}(1)", f"{name}(1, 2)", f"{name}(b=1)", f"{name}(1, 2, 3)", f"{name}(x=1)",
                f"{name}(*l)", f"{name}(**m)", f"{name}.name", f"{name}.arguments", f"{name}(1, b=2, c=3)",
                f"{name}(missing)", f"{name}()|upper|trim", f"{name}(1) is defined", name,
            ]
        )
        x = tag(f"macro {name}({params})") + body + tag("endmacro") + printed(call)
        if rng.random() < 0.3:
            x += (
                tag(
                    f"call{pick(['','(a)','(a, b=1)', '(i)'])} {pick([name+'()', name+'(1)', name+'(1, 2)', name+'(a=1)'])}"
                )
                + statements(d - 1, loop)
                + tag("endcall")
            )
        return x
    if r < 0.78:
        return (
            tag(f"set y{pick(['', ' | upper', ' | trim', ' | replace(§a§, §b§) | upper', ' | length', ' | nope'])}")
            + statements(d - 1, loop)
            + tag("endset")
            + printed("y")
        )
    if r < 0.81:
        return (
            tag(f"with {pick(['y = 1','a = 1, b = a','s = l', '', 'y = y', 'a, b = (1, 2)'])}")
            + statements(d - 1, loop)
            + printed("y")
            + tag("endwith")
        )
    if r < 0.84:
        return (
            tag(
                f"filter {pick(['upper','trim','replace(§a§, §b§)','upper | trim','indent(2)','length', 'title', 'string | upper', 'escape', 'default(1)'])}"
            )
            + statements(d - 1, loop)
            + tag("endfilter")
        )
    if r < 0.86:
        return pick(
            [
                "{% raw %}{{ x }}{% endraw %}", "{%- raw -%} {% if %} {%- endraw -%}",
                "{% raw %}\n a {# #}\n{% endraw %}\n", "{% raw -%} \n{{ {%- endraw +%}\n",
            ]
        )
    if r < 0.88:
        return tag("generation") + statements(d - 1, loop) + tag("endgeneration")
    if r < 0.895:
        return (
            tag(f"block {pick(['b1','b2','b3'])}{pick(['','',' scoped',' required'])}")
            + statements(d - 1, loop)
            + tag("endblock")
        )
    if r < 0.91:
        return tag("print " + any_expression(1)) if rng.random() < 0.5 else tag("do " + any_expression(1))
    if r < 0.925:
        return pick(
            [
                "{% include 'x' %}", "{% import 'x' as x %}", "{% extends 'x' %}", "{% from 'x' import y %}",
                "{% autoescape true %}a{% endautoescape %}", "{% nope %}", "{% endif %}", "{{", "{{ }}",
                "{{ 1 2 }}", "{% if %}", "{{ x | }}", "{{ s is }}", "{% set %}", "{% for x %}{% endfor %}",
                "{{ 'a }}", "{{ l[ }}", "{% set x = %}", "{{ a.b. }}", "{{ ) }}", "{{ (1 }}", "{% set true = 1 %}",
                "{{ x if }}", "{{ f(a=1, 2) }}", "{{ {1} }}", "{{ [1 2] }}", "{{ 1_000 }}",
                "{{ 0x1f }}{{ 0b11 }}{{ 0o17 }}", "{{ 1__0 }}", "{{ 01 }}", "{{ 1.e3 }}", "{{ 1e400 }}",
                "{{ 'a\\q\\N{DASH}' }}", "{{ '\\u12' }}", "{{ '\\101\\8' }}", "{{ §\\U0001F600§|length }}",
                "{{ a. b }}", "{{ m . role }}", "{{ 1.5.x }}", "{{ l.0 }}", "{{ -1|abs }}", "{{ -2**2 }}",
                "{{ 2**3**2 }}", "{{ 2**-1 }}", "{{ not 1 == 2 }}", "{{ 1 if 0 }}|", "{{ (1 if 0)|default(3) }}",
                "{{ 1 is not none }}", "{{ 1 < 2 < 3 > 1 }}", "{{ s not in l }}", "{{ not s in l }}",
                "{{ -x|round }}", "{{ l|first|upper }}", "{{ s|upper()|lower }}", "{{ 'a' is in s }}",
                "{{ raise_exception('x') }}", "{{ raise_exception }}", "{{ n is divisibleby n }}",
                "{{ n is eq n + 1 }}", "{{ 1 is eq 1 is true }}", "{{ range }}", "{{ dict }}", "{{ namespace }}",
                "{{ joiner(',')() }}", "{{ cycler(1, 2).next() }}", "{{ strftime_now('%%') }}", "{{ self }}",
                "{{ self.b1() }}", "{{ super() }}", "{{ loop }}", "{{ caller }}", "{{ varargs }}", "{{ _ }}",
                "{{ __x }}", "{{ m.__class__ }}", "{{ ''.__class__ }}", "{{ l|attr('__len__') }}",
                "{% set _x = 1 %}{{ _x }}", "{% set a.b = 1 %}", "{% set ns = namespace(_a=1) %}",
                "{% set m['x'] = 1 %}", "{% set x = 1 %}{% set x.y = 2 %}",
                "{% for loop in l %}{{ loop }}{% endfor %}", "{% macro caller() %}{% endmacro %}",
                "{% macro m(a, a) %}{% endmacro %}{{ m(1) }}", "{% macro m(a=1, b) %}{% endmacro %}",
                "{% set none = 1 %}{{ none }}", "{{ None }}{{ True }}{{ NONE }}", "{%- if true -%} x {%- endif -%}",
                "{{- ' a ' -}}", "  {{ 1 }}\n  {%- if 1 %}\n", "{{ '\n' }}", "{{ 'a\nb'|length }}", "a\r\nb\rc",
                "{% if 1 -%}\n\n a\n{%- endif %}\n\n",
            ]
        )
    if r < 0.94 and loop:
        return tag(pick(["break", "continue"]))
    return statement(d - 1, loop)


def template():
    r = rng.random()
    if r < 0.55:
        return "{{ " + expression(pick(TYPES), rng.choice([1, 2, 2, 3])) + " }}"
    return statements(rng.choice([1, 2, 2, 3])) + (rng.choice(["", "\n"]))
