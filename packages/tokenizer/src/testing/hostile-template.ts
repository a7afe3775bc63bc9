type Random = () => number;

const FILTERS =
  "upper trim length join list tojson string int float sort unique map('string') map(attribute='role') select reject selectattr('role') batch(2) slice(3) indent(9) title replace('a','aa') default('x') items first last reverse sum min max round center(99) truncate(9) groupby('role') dictsort wordcount urlencode abs format('a') capitalize safe".split(
    " ",
  );
const METHODS =
  "strip() split('a') upper() replace('a','bb') join(['a','b']) format(1,2) get('role') items() keys() splitlines() rsplit(' ',1) count('a') find('a') zfill(40) ljust(60) title() append(1) pop()".split(
    " ",
  );
const TESTS =
  "defined none string mapping iterable sequence number odd even in([1,2]) eq(1) divisibleby(3) sameas(none) callable".split(
    " ",
  );
const OPERATORS = [
  "+",
  "-",
  "*",
  "/",
  "//",
  "%",
  "**",
  "~",
  "==",
  "<",
  ">=",
  " in ",
  " not in ",
  " and ",
  " or ",
];
const ATOMS = [
  "messages",
  "m",
  "i",
  "x",
  "ns",
  "ns.x",
  "ns.l",
  "loop",
  "loop.index",
  "missing",
  "none",
  "true",
  "1",
  "10**9",
  "-3",
  "2.5",
  "''",
  "'a'",
  "'ab' * 9",
  "[1, 'a']",
  "{'a': 1}",
  "(1, 2)",
  "range(9)",
  "range(100000)",
  "range(10**12)",
  "f(1)",
  "f",
  "namespace()",
  "dict(a=1)",
  "tools",
  "bos_token",
];

function pick<T>(random: Random, list: readonly T[], otherwise: T): T {
  return list[Math.floor(random() * list.length)] ?? otherwise;
}

function expression(random: Random, depth: number): string {
  const inner = () => expression(random, depth - 1);
  if (depth <= 0 || random() < 0.2) return pick(random, ATOMS, "1");
  switch (Math.floor(random() * 9)) {
    case 0:
      return `(${inner()}|${pick(random, FILTERS, "trim")})`;
    case 1:
      return `${inner()}.${pick(random, METHODS, "strip()")}`;
    case 2:
      return `(${inner()} is ${random() < 0.3 ? "not " : ""}${pick(random, TESTS, "defined")})`;
    case 3:
      return `${inner()}[${inner()}]`;
    case 4:
      return `${inner()}[${inner()}:${inner()}:-1]`;
    case 5:
      return `[${inner()}, ${inner()}]`;
    case 6:
      return `(${inner()} if ${inner()} else ${inner()})`;
    case 7:
      return `{${inner()}: ${inner()}}`;
    default:
      return `(${inner()}${pick(random, OPERATORS, "+")}${inner()})`;
  }
}

function statement(random: Random, depth: number): string {
  const value = () => expression(random, 3);
  const inner = () => (depth <= 0 ? "a" : statement(random, depth - 1) + statement(random, depth - 1));
  switch (Math.floor(random() * 10)) {
    case 0:
      return `{% for i in ${value()} %}${inner()}{% endfor %}`;
    case 1:
      return `{% for m in messages %}${inner()}{% endfor %}`;
    case 2:
      return `{% for i in range(100000) %}${inner()}{% if ${value()} %}{% continue %}{% endif %}{% endfor %}`;
    case 3:
      return `{% if ${value()} %}${inner()}{% else %}${inner()}{% endif %}`;
    case 4:
      return `{% set ns.x = ${value()} %}`;
    case 5:
      return `{% set ns.l = ns.l + [${value()}] %}`;
    case 6:
      return `{% macro f(a, b=${value()}) %}${inner()}{{ f(a) if ${value()} }}{% endmacro %}{{ f(${value()}) }}`;
    case 7:
      return `{% set x %}${inner()}{% endset %}`;
    case 8:
      return `{% filter ${pick(random, FILTERS, "trim")} %}${inner()}{% endfilter %}`;
    default:
      return `{{ ${value()} }}`;
  }
}

/** Takes something out of a text, puts something in, or repeats some of it. */
function mutate(text: string, random: Random): string {
  const at = Math.floor(random() * (text.length + 1));
  const length = Math.floor(random() * 12);
  switch (Math.floor(random() * 4)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return (
        text.slice(0, at) +
        text.slice(at, at + length).repeat(1 + Math.floor(random() * 3_000)) +
        text.slice(at)
      );
    case 2:
      return (
        text.slice(0, at) +
        pick(random, ["{{", "}}", "{%", "%}", "{#", "(", "[", "'", "\\", " ", "\n", "|", "."], "{").repeat(
          1 + Math.floor(random() * 2_000),
        ) +
        text.slice(at)
      );
    default:
      return text.slice(0, at) + expression(random, 2) + text.slice(at + length);
  }
}

/** Makes a template that is hostile: mutated from one of those known, or of parts that do much. */
export function hostileTemplate(random: Random, known: readonly string[]): string {
  if (random() < 0.5) {
    let text = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, known, "")).join("\n");
    for (let left = Math.floor(random() * 4); left > 0; left -= 1) text = mutate(text, random);
    return text;
  }
  const body = Array.from({ length: 1 + Math.floor(random() * 4) }, () => statement(random, 3)).join("");
  const whole = `{% set ns = namespace(x='abc', l=[1]) %}{% set x = 'a' %}${body}`;
  return random() < 0.2 ? mutate(whole, random) : whole;
}
