import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasTitle, isTestThere, namedTests, promisesUnder } from "./promises.js";
import { REPOSITORY } from "./snippets.js";

const page = readFileSync(join(REPOSITORY, "docs", "security.md"), "utf8");

describe("the promises of docs/security.md", () => {
  const promises = promisesUnder("What is promised", page);

  it("are some dozens", () => expect(promises.length).toBeGreaterThan(30));

  it.each(promises)("has a test: $text", ({ tests }) => expect(tests).not.toEqual([]));

  it("name tests that are there, wherever they stand on the page", () => {
    const tests = namedTests(page);
    expect(tests.length).toBeGreaterThanOrEqual(promises.length);
    expect(tests.filter((test) => !isTestThere(test))).toEqual([]);
  });
});

describe("the check of promises", () => {
  const sample = `# Page
## Before
- a
## What is promised
Words.

- b \`packages/x/a.test.ts › does "c"\`,
  \`\`packages/x/b.test.ts › shows \`d\` ›\`\`
- e

More words, \`packages/x/c.test.ts › of no item\`.
## After
- f
`;

  it("reads each item with the tests it names", () => {
    expect(promisesUnder("What is promised", sample).map(({ tests }) => tests)).toEqual([
      [
        { path: "packages/x/a.test.ts", title: 'does "c"' },
        { path: "packages/x/b.test.ts", title: "shows `d` ›" },
      ],
      [],
    ]);
  });

  it("takes a whole title for one, in any quotes, and no part of one", () => {
    const source = `it("does \\"c\\"", f); it(\`shows \\\`d\\\`\`, f); it('says "e"', f);`;
    expect(['does "c"', "shows `d`", 'says "e"'].map((title) => hasTitle(source, title))).toEqual([
      true,
      true,
      true,
    ]);
    expect(["does", "shows"].map((title) => hasTitle(source, title))).toEqual([false, false]);
  });

  it("misses a test whose file or title is not there", () => {
    const path = "tooling/docs/promises.test.ts";
    expect(isTestThere({ path, title: "misses a test whose file or title is not there" })).toBe(true);
    expect(isTestThere({ path, title: ["misses", "a", "test"].join(" ") })).toBe(false);
    expect(isTestThere({ path: "tooling/docs/none.test.ts", title: "misses" })).toBe(false);
  });
});
