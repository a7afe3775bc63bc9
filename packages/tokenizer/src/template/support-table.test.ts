import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "./compile-template.js";
import { STRING_METHODS } from "./operations/string-methods.js";
import { KNOWN_FILTERS, KNOWN_TESTS } from "./syntax/known-names.js";
import { PLAIN_STRINGS } from "./values/from-json.js";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
/** Results of jinja2; compile-template.test.ts compares ours with each of them. */
const { results }: { results: Record<string, { text?: string }> } = JSON.parse(
  read("../../fixtures/templates/recorded.json"),
);
const { variables } = JSON.parse(read("../../fixtures/templates/snippets.json"));
const docs = read("../../../../docs/tokenizers.md");

const render = (source: string) =>
  compileTemplate(source).render({ own: {}, peoples: variables }, PLAIN_STRINGS);

const rendered = Object.entries(results).flatMap(([source, { text }]) =>
  text === undefined ? [] : [source],
);

/** The names in backquotes of a row's second or third column. */
function names(row: string, column: "runs" | "refused"): string[] {
  const cells = docs
    .split("\n")
    .find((line) => line.startsWith(`| ${row} |`))
    ?.split(" | ");
  const cell = cells?.[column === "runs" ? 1 : 2] ?? "";
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

/** Names that no snippet holds of those which are rendered by jinja2 and refused here by nothing. */
function without(wanted: Iterable<string>, pattern: (name: string) => RegExp): string[] {
  return [...wanted].filter(
    (name) => !rendered.some((source) => pattern(name).test(source) && runsHere(source)),
  );
}

function runsHere(source: string): boolean {
  try {
    render(source);
    return true;
  } catch {
    return false;
  }
}

const escaped = (name: string) => name.replace(/[^\w]/g, "\\$&");
const filterCall = (name: string) => new RegExp(`(?:\\||filter )\\s*${name}\\b|map\\('${name}'`);
const testCall = (name: string) => new RegExp(`is (?:not )?${escaped(name)}(?!\\w)|['"]${escaped(name)}['"]`);
const member = (name: string) => new RegExp(`\\.${name}\\b`);

describe("the table of what templates can do", () => {
  it("has a recorded snippet for each filter that runs, and refuses each other one by its name", () => {
    const refused = names("filters", "refused");
    expect(refused.filter((name) => !KNOWN_FILTERS.has(name))).toEqual([]);
    const runs = [...KNOWN_FILTERS].filter((name) => !refused.includes(name));
    expect(without(runs, filterCall)).toEqual([]);
    for (const name of refused)
      expect(() => render(`{{ l|${name} }}`)).toThrow(`the filter '${name}' is not supported`);
    expect(() => render("{{ '&copy;'|striptags }}")).toThrow("an entity other than the commonest is not");
  });

  it("has a recorded snippet for each test", () => {
    expect(without(KNOWN_TESTS, testCall)).toEqual([]);
    expect(() => render("{{ 'a' is sameas 'a' }}")).toThrow("'sameas' of texts and numbers is not supported");
  });

  it("has a recorded snippet for each method of strings, and refuses each other one by its name", () => {
    expect(without(STRING_METHODS.keys(), member)).toEqual([]);
    const refused = names("methods of strings", "refused");
    expect(refused.filter((name) => STRING_METHODS.has(name))).toEqual([]);
    for (const name of refused)
      expect(() => render(`{{ s.${name}() }}`)).toThrow(`'.${name}' of a str is not supported`);
    // All that Python's str has, so that none is missing in both.
    expect([...STRING_METHODS.keys(), ...refused].sort()).toEqual(PYTHON_STRING_METHODS);
  });

  it("has a recorded snippet for each method and attribute of lists, dictionaries, numbers and ranges", () => {
    expect(without(names("methods of lists and dictionaries", "runs"), member)).toEqual([]);
    expect(without(names("attributes of numbers and ranges", "runs"), member)).toEqual([]);
    for (const name of ["as_integer_ratio", "to_bytes", "from_bytes"])
      expect(() => render(`{{ n.${name} }}`)).toThrow(`'.${name}' of a int is not supported`);
    for (const name of ["as_integer_ratio", "hex", "fromhex"])
      expect(() => render(`{{ f.${name} }}`)).toThrow(`'.${name}' of a float is not supported`);
  });

  it("has a recorded snippet for each statement, and refuses each other one by its name", () => {
    const runs = names("statements", "runs").filter((name) => /^[a-z]+$/.test(name));
    expect(without(runs, (name) => new RegExp(`\\b${name}\\b.*%\\}`))).toEqual([]);
    for (const name of names("statements", "refused"))
      expect(() => render(`{% ${name} 'x' %}`)).toThrow(`'${name}' is not supported here (line 1)`);
    expect(() => render("{% autoescape true %}{% endautoescape %}")).toThrow(
      "'autoescape' other than false is not supported here (line 1)",
    );
  });

  it("has a recorded snippet for each function but those of time and of errors, and refuses each other one", () => {
    const runs = names("functions", "runs").filter(
      (name) => !["raise_exception", "strftime_now", "self"].includes(name),
    );
    expect(without(["self"], (name) => new RegExp(`\\b${name}\\.x\\(`))).toEqual([]);
    expect(without(runs, (name) => new RegExp(`\\b${name}\\(`))).toEqual([]);
    for (const name of names("functions", "refused"))
      expect(() => render(`{{ ${name}(1) }}`)).toThrow(`'${name}' is not supported here`);
    expect(() => render("{{ raise_exception('no') }}")).toThrow("no (line 1)");
    expect(() => render("{{ strftime_now('%Y') }}")).not.toThrow();
  });

  it("names the expressions that are refused", () => {
    expect(() => render("{{ m['a', 'b'] }}")).toThrow("several subscripts are not supported here (line 1)");
    expect(() => render("{{ 2 ** 60 }}")).toThrow("a number beyond 2^53 is not supported here");
    expect(() => render("{{ 2 ** 0.3 }}")).toThrow("this power is not supported here");
    expect(() => render("{{ 5[1:] }}")).toThrow("a int has no slices (line 1)");
  });
});

const PYTHON_STRING_METHODS = (
  "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal " +
  "isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition " +
  "removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase " +
  "title translate upper zfill"
).split(" ");
