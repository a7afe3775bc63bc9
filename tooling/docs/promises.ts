import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "./snippets.js";

/** A test that a page names beside a promise, as `path › title`. */
export interface NamedTest {
  /** From the root of the repository. */
  readonly path: string;
  readonly title: string;
}

/** A promise of a page: one item of the lists under its heading. */
export interface Promised {
  readonly text: string;
  readonly tests: readonly NamedTest[];
}

/** Lists the tests that a text names in code spans, e.g. `packages/http/src/a.test.ts › does b`. */
export function namedTests(markdown: string): readonly NamedTest[] {
  return [...markdown.matchAll(/(`+)([\w./-]+\.ts) › ([^\n]+?)\1(?!`)/g)].map(
    ([, , path = "", title = ""]) => ({
      path,
      title,
    }),
  );
}

/** Lists the items of the lists under a heading of the second level, up to the next one. */
export function promisesUnder(heading: string, markdown: string): readonly Promised[] {
  const [, section = ""] = markdown.split(`\n## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  return body
    .split("\n- ")
    .slice(1)
    .map((item) => item.split("\n\n")[0] ?? "")
    .map((text) => ({ text, tests: namedTests(text) }));
}

/** Tells a title that a source has as a whole string, quoted in any of the three ways, from one that it only contains. */
export function hasTitle(source: string, title: string): boolean {
  const escaped = (quote: string) => title.replaceAll("\\", "\\\\").replaceAll(quote, `\\${quote}`);
  return ['"', "'", "`"].some((quote) => source.includes(`${quote}${escaped(quote)}${quote}`));
}

/** Tells a named test that is in the repository from one that was renamed or never was. */
export function isTestThere({ path, title }: NamedTest): boolean {
  const file = join(REPOSITORY, path);
  return existsSync(file) && hasTitle(readFileSync(file, "utf8"), title);
}
