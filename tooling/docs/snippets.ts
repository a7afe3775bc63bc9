import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { codeBlocks } from "./code-blocks.js";

export const REPOSITORY = join(import.meta.dirname, "..", "..");

/** On this page, what follows `console.log(…); //` is what it prints. */
const PAGE_WITH_OUTPUT = "docs/tensors.md";

/** Tests and route handlers are run by somebody else, and hosted models are not here; that these compile is checked all the same. */
const NOT_RUN = /^export |from "vitest"|"Qwen\//m;

/** A program that a page shows. */
export interface Snippet {
  /** Page and line, e.g. `README.md:12`. */
  readonly name: string;
  readonly language: "ts" | "js";
  readonly code: string;
  /** The lines that the page says it prints; undefined where it says nothing. */
  readonly promised: readonly string[] | undefined;
}

/** All programs of a page, in order. */
export function snippetsOf(page: string): readonly Snippet[] {
  const file = join(REPOSITORY, page);
  return codeBlocks(readFileSync(file, "utf8")).flatMap(({ language, code, line }) =>
    language === "ts" || language === "js"
      ? [
          {
            name: `${relative(REPOSITORY, file)}:${line}`,
            language,
            code,
            promised: page === PAGE_WITH_OUTPUT ? promisedOutput(code) : undefined,
          },
        ]
      : [],
  );
}

/** Tells a program that runs by itself, against the local server, from one that is only compiled. */
export function isRunHere({ code }: Snippet): boolean {
  return !NOT_RUN.test(code);
}

/** Where a snippet's file stands in a folder of them. */
export function fileOf({ name }: Snippet, folder: string): string {
  return join(folder, `${name.replace(/\W/g, "-")}.ts`);
}

function promisedOutput(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output = ""]) => output);
}
