"""Random expressions of Jinja: filters, tests, methods, operators and literals, most of them of fitting types."""

import random

# Stands for a double quote within the tables below.
QUOTE = "§"

VARIABLES = {
    "s": "Hello, World",
    "t": "  a\tb\n\nc  ", "u": "né 😀 ß ﬁ İ", "q": "it's §x§\\ <b>&", "e": "", "d": "12",
    "p": "a,b,,c",
    "lines": "one\ntwo\r\n\n  three\n", "n": 7, "z": 0, "neg": -3, "x": 2.5, "big": 123456789012, "yes": True,
    "no": False, "none": None,
    "l": [3, 1, 2],
    "ls": ["b", "A", "a", "c c"],
    "mixed": [1, "1", None, True, 2.5, [], {}],
    "el": [],
    "nested": [[1, 2], [3, 4]],
    "pairs": [["a", 1], ["b", 2]],
    "m": {"role": "user", "content": "hi", "items": [1], "get": "g", "n": 3},
    "ed": {},
    "deep": {"a": {"b": {"c": "end"}}, "l": [{"k": 1}, {"k": 2}]},
    "rows": [{"k": "b", "v": 2, "f": True}, {"k": "a", "v": 1}, {"k": "B", "v": 2, "f": False}],
    "messages": [
        {"role": "system", "content": "S"}, {"role": "user", "content": " u <x> "},
        {
            "role": "assistant", "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": {"a": 1, "b": [True, None, "é"]}}}],
        },
        {"role": "tool", "content": [{"type": "text", "text": "T"}]},
    ],
}
NAMES = {
    "str": ["s", "t", "u", "q", "e", "d", "p", "lines", "m.role", "ls[0]", "messages[0].content"],
    "int": ["n", "z", "neg", "big", "l[0]", "m.n", "1", "0", "2", "10", "3", "-1", "-2"],
    "float": ["x", "1.5", "0.1", "2.0", "1e3", "-0.5", "1e16", "100.0"],
    "bool": ["yes", "no", "true", "false", "True", "none", "None", "not yes"],
    "list": [
        "l", "ls", "mixed", "el", "nested", "pairs", "rows", "messages", "[]", "[1, 'a']", "(1, 2)", "()",
        "(none,)", "range(3)", "range(4, 0, -1)",
    ],
    "dict": [
        "m", "ed", "deep", "rows[0]", "messages[2]", "{}", "{'a': 1}", "{1: 'x', 'b': none}",
        "messages[2].tool_calls[0]",
    ],
    "undef": ["missing", "m.nope", "l[10]", "ed.x", "none.x", "deep.a.zz", "rows[1].f", "s.nope", "rows[1]['f']"],
}
LITERALS = [
    "'a'", "'b'", "','", "' '", "'\\n'", "'l'", "''", "'é'", "'😀'", "§it's§", "'o'", "'Hello'", "'\\x41\\u00e9\\t'",
    "'%s'", "'{}'", "'ab' 'cd'", "'-'", "'</think>'", "'\\''",
]
TYPES = ["str", "int", "float", "bool", "list", "dict", "undef"]
rng = random.Random()


def pick(xs):
    return rng.choice(xs)


def any_expression(d):
    return expression(pick(TYPES), d)


STRING_METHODS = "upper lower capitalize title swapcase casefold strip lstrip rstrip isalpha isdigit isalnum isspace isupper islower istitle isnumeric isdecimal isascii isidentifier isprintable splitlines split rsplit expandtabs encode".split()


def string_method(d):
    k = pick(["0", "0", "args", "args", "args"])
    if k == "0":
        return f".{pick(STRING_METHODS)}()"
    m = pick(
        "strip lstrip rstrip split rsplit startswith endswith find rfind index rindex count replace partition rpartition join ljust rjust center zfill removeprefix removesuffix splitlines expandtabs format format_map translate".split()
    )
    S = lambda: pick(LITERALS) if rng.random() < 0.7 else expression("str", d - 1)
    I = lambda: (
        pick(["0", "1", "2", "3", "-1", "-2", "5", "100", "none"]) if rng.random() < 0.8 else expression("int", d - 1)
    )
    o = lambda *xs: "".join(", " + x() for x in xs[: rng.randint(0, len(xs))])
    if m in ("strip", "lstrip", "rstrip"):
        return f".{m}({pick([S(),'none','§abc §','§Hd§'])})"
    if m in ("split", "rsplit"):
        return pick(
            [
                f".{m}({S()})", f".{m}({S()}, {I()})", f".{m}(none, {I()})", f".{m}(sep={S()}, maxsplit={I()})",
                f".{m}(maxsplit={I()})",
            ]
        )
    if m in ("startswith", "endswith"):
        return f".{m}({pick([S(), '('+S()+', '+S()+')', '()', '['+S()+']'])}{o(I,I)})"
    if m in ("find", "rfind", "index", "rindex", "count"):
        return f".{m}({S()}{o(I,I)})"
    if m == "replace":
        return f".replace({S()}, {S()}{o(I)})"
    if m in ("partition", "rpartition", "removeprefix", "removesuffix"):
        return f".{m}({S()})"
    if m == "join":
        return f".join({expression('list', d-1)})"
    if m in ("ljust", "rjust", "center"):
        return f".{m}({I()}{o(S)})"
    if m == "zfill":
        return f".zfill({I()})"
    if m == "expandtabs":
        return f".expandtabs({I()})"
    if m == "splitlines":
        return pick([f".splitlines({pick(['true','false','0','1'])})", ".splitlines(keepends=true)"])
    if m == "translate":
        return f".translate({expression('dict', d-1)})"
    if m == "format_map":
        return f".format_map({expression('dict', d-1)})"
    return f".format({any_expression(d-1)}{o(lambda: any_expression(d-1))})"


def format_call(d):
    spec = pick(
        [
            "", "", ":>5", ":<5", ":^7", ":*^9", ":05", ":+", ":,", ":_", ":.2f", ":d", ":x", ":#x", ":b", ":o",
            ":e", ":.3g", ":%", ":.1%", ":s", ":.2", ":10.3f", ":08.2f", ":c", ":n", ":,.2f", ":+.0e", ":=+6", ":X",
            ":g",
        ]
    )
    conv = pick(["", "", "", "!r", "!s", "!a"])
    f = pick(["", "0", "a", "a.b", "a[k]", "a[0]", "0.x", "0[1]"]) if rng.random() < 0.4 else ""
    s = pick(["", "<", "{{", "}}", "é"]) + "{" + f + conv + spec + "}" + pick(["", "|", "{}", "{1}"])
    return (
        f"'{s}'.format({any_expression(d-1)}, {any_expression(d-1)}"
        + (f", a={any_expression(d-1)}" if "a" in f else "")
        + ")"
    )


def percent_format(d):
    n = rng.randint(1, 2)
    flags = (
        lambda: pick(["", "", "", "-", "0", "+", " ", "#"])
        + pick(["", "", "5", "10"])
        + pick(["", "", "", ".2", ".0"])
    )
    s = pick(["", "<", "%%"]) + " ".join("%" + flags() + pick(list("sssddrifgexXoca%EGFu")) for _ in range(n))
    if rng.random() < 0.15:
        return f"'%(a)s %(b)d' % {pick(['{§a§: 1, §b§: 2}', '{§a§: l, §b§: x}', expression('dict', d-1)])}"
    rhs = pick([any_expression(d - 1), f"({', '.join(any_expression(d-1) for _ in range(n))},)"])
    return pick([f"'{s}' % {rhs}", f"'{s}'|format({', '.join(any_expression(d-1) for _ in range(n))})"])


STRING_FILTERS = [
    lambda d: pick(
        [
            "upper", "lower", "capitalize", "title", "trim", "length", "count", "wordcount", "string", "urlencode",
            "escape", "e", "safe", "list", "first", "last", "reverse", "int", "float", "forceescape", "striptags",
            "filesizeformat", "tojson", "pprint", "urlize", "wordwrap", "xmlattr", "center",
        ]
    ),
    lambda d: f"trim({pick(LITERALS)})",
    lambda d: f"replace({pick(LITERALS)}, {pick(LITERALS)}{pick(['', ', 1', ', 0', ', none', ', count=2'])})",
    lambda d: f"truncate({pick(['5','8','3','10','0'])}{pick(['', ', true', ', true, §..§', ', leeway=0', ', false, §§, 0'])})",
    lambda d: f"indent({pick(['', '2', 'width=2, first=true', '§>>§', '2, true, true', 'first=true', '1, blank=true'])})",
    lambda d: f"center({pick(['5','20','21'])})",
    lambda d: f"default({any_expression(d-1)}{pick(['', ', true', ', boolean=true', ', false'])})",
    lambda d: f"d({pick(LITERALS)})",
    lambda d: f"int({pick(['', '5', 'default=3', '0, 16', '0, 2', 'base=8'])})",
    lambda d: f"float({pick(['', '1.5', 'default=2'])})",
    lambda d: f"wordwrap({pick(['3','5','8, false','10, true, §|§'])})",
    lambda d: f"attr({pick(['§upper§', '§role§', '§x§'])})",
    lambda d: f"batch({pick(['1','2','3, §x§'])})|list",
    lambda d: "string|" + pick(["length", "upper", "list|first"]),
    lambda d: f"format({any_expression(d-1)})",
]
NUMBER_FILTERS = [
    lambda d: pick(
        [
            "abs", "round", "int", "float", "string", "tojson", "filesizeformat", "filesizeformat(true)", "pprint",
            "length",
        ]
    ),
    lambda d: f"round({pick(['1','2','0','-1','3','-2'])}{pick(['', ', §ceil§', ', §floor§', ', method=§common§'])})",
    lambda d: f"default({any_expression(d-1)})",
]
ATTRIBUTES = ["k", "v", "f", "role", "content", "0", "1", "deep.a", "k.x", "nope"]
LIST_FILTERS = [
    lambda d: pick(
        [
            "length", "count", "first", "last", "list", "reverse|list", "sort", "unique|list", "min", "max", "sum",
            "join", "string", "tojson", "random", "map('string')|list", "pprint", "items|list", "map|list",
            "select|list", "reject|list",
        ]
    ),
    lambda d: f"join({pick([pick(LITERALS), 'd='+pick(LITERALS), pick(LITERALS)+', attribute='+repr(pick(ATTRIBUTES)), 'attribute=§v§'])})",
    lambda d: f"sort({pick(['true','reverse=true','case_sensitive=true','attribute=§k§','attribute=§v,k§','attribute=§v§, reverse=true','false, true', 'attribute=§f§', 'attribute=0'])})",
    lambda d: f"map({pick(['§upper§','§length§','attribute=§k§','attribute=§f§, default=§-§','§default§, §z§','§int§','§join§, §-§','attribute=0','§string§','§first§','§tojson§','§trim§','§nope§','§attr§, §k§', '§replace§, §a§, §b§', 'attribute=§a.b§'])})|{pick(['list','join','join(§,§)','first'])}",
    lambda d: f"{pick(['select','reject'])}({pick(['','§string§','§odd§','§defined§','§in§, [1, §a§]','§equalto§, 1','§gt§, 1','§none§','§mapping§','§number§','§true§','§lt§, §b§', '§iterable§', '§sameas§, none', '§nope§'])})|list",
    lambda d: f"{pick(['selectattr','rejectattr'])}({pick(['§k§','§f§','§v§, §equalto§, 2','§k§, §in§, [§a§, §b§]','§f§, §defined§','§role§, §eq§, §user§','§f§, §undefined§','§v§, §>§, 1','§0§', '§content§, §none§', '§role§, §!=§, §user§', '§a.b§'])})|{pick(['list','list|length','first','map(attribute=§k§)|join'])}",
    lambda d: f"groupby({pick(['§k§','§v§','§f§','§f§, default=false','§k§, case_sensitive=true','0', 'attribute=§v§'])})|{pick(['list','map(§first§)|list','map(attribute=§grouper§)|list','map(attribute=§list§)|list', 'length'])}",
    lambda d: f"batch({pick(['1','2','3, §x§','2, none'])})|list",
    lambda d: f"slice({pick(['1','2','3, §x§','2, none'])})|list",
    lambda d: f"{pick(['min','max'])}({pick(['attribute=§v§','attribute=§k§','true','case_sensitive=true'])})",
    lambda d: f"sum({pick(['attribute=§v§','start=5','§v§, 1','start=[]','start=2.5', 'start=§§'])})",
    lambda d: f"unique({pick(['true','attribute=§k§','case_sensitive=true, attribute=§k§','attribute=§v§'])})|list",
    lambda d: f"default({any_expression(d-1)}{pick(['', ', true'])})",
]
TO_JSON = (
    lambda d: f"tojson({pick(['','indent=2','indent=0','ensure_ascii=true','sort_keys=true','separators=(§,§, §:§)','indent=4, sort_keys=true','indent=§->§','true','indent=none','separators=[§,§, §:§], indent=1', 'ensure_ascii=false', '4', 'false, 2', 'indent=-1', 'indent=true'])})"
)
DICT_FILTERS = [
    lambda d: pick(
        [
            "length", "list", "items|list", "dictsort", "dictsort(true)", "dictsort(by='value')",
            "dictsort(reverse=true)", "dictsort(false, 'value')", "tojson", "string", "first", "last", "join",
            "join(',')", "sort", "unique|list", "min", "max", "urlencode", "xmlattr", "pprint", "map('upper')|list",
            "items|map('first')|list", "reverse|list",
        ]
    ), TO_JSON,
    lambda d: f"attr({pick(['§role§', '§items§', '§get§'])})",
    lambda d: f"map(attribute={pick(ATTRIBUTES)!r})|list",
    lambda d: f"default({any_expression(d-1)}, true)",
]
TESTS = [
    "defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "sequence",
    "iterable", "callable", "true", "false", "odd", "even", "lower", "upper", "escaped", "divisibleby 2",
    "divisibleby(3)", "in [1, 'a', none]", "in s", "eq 1", "ne 'a'", "gt 1", "lt 2.5", "ge 3", "le 'b'",
    "sameas none", "sameas true", "equalto 7", "filter", "test", "in m", "== 7", "!= 1", "not defined", "not none",
    "not string", "lessthan 3", "greaterthan 2", "in", "sameas false", "> 1",
]


def test(d):
    t = pick(TESTS)
    if t in ("> 1", "== 7", "!= 1"):
        t = pick(["eq(7)", "ne(1)", "gt(1)"])
    return f"{expression(pick(TYPES), d-1)} is {t}"


OPERATORS = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or", "**"]


def binary(d):
    op = pick(OPERATORS)
    if op == "**":
        return f"{expression(pick(['int','float']), 0)} ** {pick(['2','0','-1','0.5','3','-2'])}"
    a = pick(TYPES)
    b = a if rng.random() < 0.6 else pick(TYPES)
    if op in ("in", "not in"):
        b = pick(["str", "list", "dict", "undef"])
    if op == "*":
        return f"({expression(a, d-1)}) * {pick(['2','3','0','-1','x','n','yes'])}"
    return f"{expression(a, d-1)} {op} {expression(b, d-1)}"


def perhaps_in_brackets(x):
    return x if rng.random() < 0.3 else f"({x})"


def subscript_slice(d):
    b = lambda: pick(["", "", "1", "-1", "2", "-2", "0", "none", "n", "100", "-100"])
    return f"[{b()}:{b()}]" if rng.random() < 0.6 else f"[{b()}:{b()}:{pick(['1','2','-1','-2','0',''])}]"


def postfix(base, t, d):
    r = rng.random()
    if t == "str":
        if r < 0.45:
            return base + string_method(d)
        if r < 0.55:
            return base + subscript_slice(d)
        if r < 0.62:
            return base + f"[{pick(['0','1','-1','50','none','§upper§','1.0'])}]"
        return f"{base}|{pick(STRING_FILTERS)(d)}"
    if t in ("int", "float", "bool"):
        if r < 0.8:
            return f"{base}|{pick(NUMBER_FILTERS)(d)}"
        return base + pick([".real", ".imag", ".numerator", ".is_integer()", "[0]", ".x", ".bit_length()", "()"])
    if t == "list":
        if r < 0.15:
            return base + subscript_slice(d)
        if r < 0.25:
            return base + pick(["[0]", "[-1]", "[5]", "[none]", "['x']", ".0", ".1", ".x", "[1.0]", "[true]"])
        if r < 0.33:
            return base + pick(
                [
                    ".index(1)", ".count(1)", ".append(1)", ".pop()", ".copy()", ".index('a')", ".count(none)",
                    ".index(2, 1)", ".sort()", ".reverse()", ".extend([])", ".insert(0, 1)",
                ]
            )
        if r < 0.4:
            return f"{base}|{TO_JSON(d)}"
        return f"{base}|{pick(LIST_FILTERS)(d)}"
    if t == "dict":
        if r < 0.35:
            return base + pick(
                [
                    ".items()", ".keys()", ".values()", ".get('role')", ".get('x')", ".get('x', 5)",
                    ".get('x', default=5)", ".copy()", ".pop('role')", ".update({})", ".items()|list",
                    ".keys()|list", ".values()|list", ".items()|sort", ".keys()|join(',')", ".values()|tojson",
                    ".setdefault('x', 1)", ".get()", ".get(l)", ".get(1)", ".fromkeys([1])", ".clear()",
                    ".items()|first", ".items()|length", ".keys()|first", ".items()[0]",
                ]
            )
        if r < 0.5:
            return base + pick(
                [
                    "['role']", ".role", ".items", ".get", ".keys", "['items']", "[1]", "[none]", ".a.b.c",
                    "['a']['b']", ".nope", ".nope.x", "[l]", "[true]", "[1.0]",
                ]
            )
        return f"{base}|{pick(DICT_FILTERS)(d)}"
    return (
        f"{base}|{pick([pick(STRING_FILTERS), pick(LIST_FILTERS), pick(DICT_FILTERS), pick(NUMBER_FILTERS)])(d)}"
        if r < 0.7
        else base + pick([".x", "[0]", "()", ".upper()", "[1:]", "['a']"])
    )


def expression(t, d):
    if d <= 0:
        return pick(NAMES[t]) if t != "str" or rng.random() < 0.5 else pick(LITERALS)
    r = rng.random()
    if r < 0.35:
        base = expression(t, d - 1) if rng.random() < 0.7 else any_expression(d - 1)
        return postfix(base if base.replace("_", "a").isalnum() and not base[0].isdigit() else f"({base})", t, d)
    if r < 0.55:
        return perhaps_in_brackets(binary(d))
    if r < 0.62:
        return perhaps_in_brackets(test(d))
    if r < 0.67:
        return perhaps_in_brackets(
            f"{any_expression(d-1)} if {any_expression(d-1)}"
            + (f" else {any_expression(d-1)}" if rng.random() < 0.7 else "")
        )
    if r < 0.71:
        return perhaps_in_brackets(f"not {any_expression(d-1)}")
    if r < 0.76:
        return "[" + ", ".join(any_expression(d - 1) for _ in range(rng.randint(0, 3))) + "]"
    if r < 0.79:
        return (
            "{"
            + ", ".join(
                f"{pick([pick(LITERALS), pick(['1','none','true','1.5','(1, 2)','n','l'])])}: {any_expression(d-1)}"
                for _ in range(rng.randint(0, 3))
            )
            + "}"
        )
    if r < 0.81:
        return "(" + "".join(any_expression(d - 1) + ", " for _ in range(rng.randint(0, 3))) + ")"
    if r < 0.84:
        return format_call(d)
    if r < 0.87:
        return perhaps_in_brackets(percent_format(d))
    if r < 0.89:
        return f"({any_expression(d-1)} {pick(['<','<=','==','!=','>','in'])} {any_expression(d-1)} {pick(['<','<=','==','!=','>','in','not in'])} {any_expression(d-1)})"
    if r < 0.91:
        return pick(
            [
                f"range({expression('int',0)})|list",
                f"dict({pick(['a=1','m, x=2','[(1, 2)]','pairs','m', 'l', '**m'])})",
                f"namespace({pick(['a=1','x=l','m'])}).{pick(['a','x','role'])}",
                f"range({pick(['3','1, 4','5, 0, -2','0','1, 2, 0'])}){pick(['','|list','|sum','[1]','|last','|reverse|list','[1:]','.start','|tojson'])}",
            ]
        )
    if r < 0.93:
        return pick(["-", "+", "- -"]) + f"({expression(pick(['int','float','bool']), d-1)})"
    if r < 0.95:
        return f"({any_expression(d-1)})|{pick(STRING_FILTERS+LIST_FILTERS)(d)}"
    return pick(NAMES[t])
