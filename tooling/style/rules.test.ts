// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the snippets that are checked hold templates

import ts from "typescript";
import { describe, expect, it } from "vitest";
import { checkFile } from "./check-sources.js";
import { commentsOf } from "./comments.js";
import { REPLACED_NAMES } from "./replaced-names.js";
import { RULES } from "./rules.js";

/** Findings as `rule line: text`. */
function check(code: string, path = "packages/a/src/x.ts"): string[] {
  return checkFile(path, code).map(({ rule, line, text }) => `${rule} ${line}: ${text}`);
}

describe("commentsOf", () => {
  const read = (code: string) =>
    commentsOf(ts.createSourceFile("x.ts", code, ts.ScriptTarget.Latest, true)).map(({ text }) => text);

  it("finds comments wherever they stand, and not what only looks like one", () => {
    const code = [
      "// top",
      'const url = "http://a/b"; // behind',
      "const text = `/* no */ ${/* in a template */ 1}`;",
      "const pattern = /[/*]no/;",
      "function f(/* in brackets */) {",
      "  // alone in a body",
      "}",
      "/**",
      " * Two",
      " * lines.",
      " */",
      "class A {}",
      "// at the end",
    ].join("\n");
    expect(read(code)).toEqual([
      "top",
      "behind",
      "in a template",
      "in brackets",
      "alone in a body",
      "Two\nlines.",
      "at the end",
    ]);
  });

  it("joins lines of // that follow one another, and no others", () => {
    const code = "// one\n// two\n\n// three\nf(); // four\n// five\n";
    expect(read(code)).toEqual(["one\ntwo", "three", "four", "five"]);
  });
});

describe("relative-opening", () => {
  it.each(["What", "Who", "Whose", "Whom", "Whether", "Which", "Where", "How"])(
    "refuses a comment that begins with %s, of any kind and in any case",
    (word) => {
      expect(check(`/** ${word} it is. */\nconst a = 1;`)).toEqual([`relative-opening 1: ${word} it is.`]);
      expect(check(`f();\n// ${word.toLowerCase()} it is`)).toEqual([
        `relative-opening 2: ${word.toLowerCase()} it is`,
      ]);
      expect(check(`f(/* ${word} */);`)).toEqual([`relative-opening 1: ${word}`]);
    },
  );

  it("refuses a doc comment whose words begin on its second line", () => {
    expect(check("/**\n * What is kept.\n *\n * @internal\n */\nconst a = 1;")).toHaveLength(1);
  });

  it.each([
    "/** Keeps what is given. */",
    "// However long it takes",
    "// Whatever\n// what goes on is no beginning",
    "/** @internal */",
    'const text = "// What";',
  ])("leaves %j alone", (code) => {
    expect(check(code)).toEqual([]);
  });
});

describe("param-form", () => {
  it.each([
    "@param x the text",
    "@param x The text.",
    "@param x - The text",
    "@param x -",
    "@param x",
    "@param x: text",
  ])("refuses %j", (tag) => {
    expect(check(`/**\n * Does it.\n *\n * ${tag}\n */\nfunction f(x) {}`)).toEqual([`param-form 1: ${tag}`]);
  });

  it.each(["@param x - the text", "@param {string} x - e.g. `a`", "@param x - `TensorData` or a list"])(
    "takes %j",
    (tag) => {
      expect(check(`/**\n * Does it.\n *\n * ${tag}\n */\nfunction f(x) {}`)).toEqual([]);
    },
  );

  it("finds each tag of a comment", () => {
    expect(check("/**\n * @param a one\n * @param b - two\n * @param c three\n */\nf();")).toHaveLength(2);
  });
});

describe("capital-message", () => {
  it.each([
    'new ValidationError("The prompt is missing")',
    'new TypeError("A bad type", { cause })',
    "new OperationFailure(`Model ${id} is gone`, 'server')",
    'new RequestRefusal(404, "There is none")',
    'throw unsupported("Loading it")',
    'userFailure("Give at least one")',
    'new Error(isLate ? "Late" : "early")',
    'new Error("Cannot go on " + why)',
    "new errors.ValidationError(`Prompt token ${index}`)",
    'class AError extends BError { constructor() { super("Bad"); } }',
  ])("refuses %s", (code) => {
    expect(check(`${code};`)).toEqual([expect.stringMatching(/^capital-message 1: /)]);
  });

  it.each([
    'new ValidationError("prompt is missing")',
    'new ValidationError("TensorData must have a shape")',
    "new ValidationError(`${name} must be a string`)",
    'new ValidationError("TINKER_API_KEY is missing")',
    'new ValidationError("API keys are strings")',
    'new ValidationError("Datum.loss_fn_inputs is missing")',
    'new ValidationError("ServiceClient: give an apiKey")',
    'new ValidationError("Hugging Face answered 503")',
    'new ValidationError("Node 18 has no such method")',
    "new ValidationError('\"A\" is no model')",
    'new Map("The")',
    'console.log("The server listens")',
    'class A extends Base { constructor() { super("Not an error"); } }',
  ])("takes %s", (code) => {
    expect(check(`${code};`)).toEqual([]);
  });
});

describe("full-stop-message", () => {
  it.each([
    'new ValidationError("prompt is missing.")',
    "new ValidationError(`got ${value}.`)",
    'new ValidationError("a " + "b.")',
    'new ValidationError(isLate ? "late." : "early")',
    "new ValidationError(`got ${isLate ? 'one.' : 'two'}`)",
    'throw unsupported("place", "it is odd.")',
  ])("refuses %s", (code) => {
    expect(check(`${code};`)).toEqual([expect.stringMatching(/^full-stop-message 1: /)]);
  });

  it.each([
    'new ValidationError("prompt is missing; give one")',
    'new ValidationError("prompt is missing. Give one")',
    "new ValidationError(`got ${value}`)",
    'new ValidationError("a." + value)',
  ])("takes %s", (code) => {
    expect(check(`${code};`)).toEqual([]);
  });
});

describe("superlative", () => {
  it.each(["MOST_BYTES", "LONGEST_MS", "LEAST_LIFE_MS", "FIRST_MS", "SHORTEST_REFRESH_S", "LARGEST_SEQ_ID"])(
    "refuses %s where it is declared, and only there",
    (name) => {
      expect(check(`const ${name} = 1;\nf(${name});`)).toEqual([`superlative 1: ${name}`]);
    },
  );

  it("refuses a static field", () => {
    expect(check("class A { static readonly MOST_X = 1; }")).toEqual(["superlative 1: MOST_X"]);
  });

  it.each(["MAX_BYTES", "MIN_MS", "FIRST", "firstByte", "ALMOST_ALL"])("takes %s", (name) => {
    expect(check(`const ${name} = 1;`)).toEqual([]);
  });
});

describe("replaced-name", () => {
  it.each(Object.keys(REPLACED_NAMES))("refuses %s as a file and as what a file exports", (name) => {
    const path = `packages/a/src/${name}.ts`;
    expect(check("", path)).toEqual([`replaced-name 1: ${path}`]);
    const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const pascal = camel.replace(/^\w/, (letter) => letter.toUpperCase());
    expect(
      check(`export class ${pascal}Options {}\nexport function ${camel}() {}\nexport const ${camel} = 1;`),
    ).toEqual([
      `replaced-name 1: ${pascal}Options`,
      `replaced-name 2: ${camel}`,
      `replaced-name 3: ${camel}`,
    ]);
  });

  it.each(["export class Designer {}", "class TurnQueue {}", "export function takeApartment() {}"])(
    "takes %s",
    (code) => {
      expect(check(code)).toEqual([]);
    },
  );
});

describe("boolean-name", () => {
  it.each([
    ["const busy = false;", "busy"],
    ["class A { #closed = false; }", "#closed"],
    ["interface A { readonly together: boolean; }", "together"],
    ["function f(urgent: boolean | undefined) {}", "urgent"],
    ["function f(silent = true) {}", "silent"],
    ["const issue: boolean = g();", "issue"],
  ])("refuses %s", (code, name) => {
    expect(check(code)).toEqual([`boolean-name 1: ${name}`]);
  });

  it.each([
    "const isBusy = false;",
    "class A { #hasClosed = false; }",
    "interface A { readonly keepsThinking: boolean; }",
    "interface Wire { include_prompt_logprobs: boolean; }",
    "interface SaveOptions { overwrite?: boolean; }",
    "const flag = f(true);",
    "interface A { readonly mode: boolean | string; }",
  ])("takes %s", (code) => {
    expect(check(code)).toEqual([]);
  });
});

describe("increment", () => {
  it.each(["i++", "++i", "this.#count--", "--a[1]"])("refuses %s", (code) => {
    expect(check(`${code};`)).toEqual([`increment 1: ${code}`]);
  });

  it("takes += 1, and signs", () => {
    expect(check("i += 1; a = b + +c; d = - -e;")).toEqual([]);
  });
});

describe("files", () => {
  const lines = (count: number) => "f();\n".repeat(count);

  it("refuses a file of more than 400 lines that is not data", () => {
    expect(check(lines(401))).toEqual(["long-file 1: 401 lines"]);
    expect(check(lines(400))).toEqual([]);
    expect(check(lines(401), "packages/a/src/data/x.ts")).toEqual([]);
  });

  it.each(["packages/a/src/utils/x.ts", "packages/a/src/helpers.ts", "packages/a/src/x/common/y.ts"])(
    "refuses the name of %s",
    (path) => {
      expect(check("", path)).toEqual([expect.stringMatching(/^vague-name 1: (utils|helpers|common)$/)]);
    },
  );

  it("refuses export *, under a name too, and takes names one by one", () => {
    expect(check('export * from "./a.js";\nexport * as b from "./b.js";')).toHaveLength(2);
    expect(check('export { a } from "./a.js";\nexport const b = 1;')).toEqual([]);
  });
});

it("has a test of this file for each rule", () => {
  expect(Object.keys(RULES).sort()).toEqual([
    "boolean-name",
    "capital-message",
    "full-stop-message",
    "increment",
    "long-file",
    "param-form",
    "relative-opening",
    "replaced-name",
    "star-export",
    "superlative",
    "vague-name",
  ]);
});
