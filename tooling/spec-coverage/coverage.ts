import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { requirementLists } from "./requirement-lists.js";

/** How the numbers of one page stand. */
export interface PageCoverage {
  readonly page: string;
  readonly total: number;
  /** Numbers with a test whose title carries them. */
  readonly tested: readonly number[];
  /** Numbers that a page of `docs/decisions` says why they have none. */
  readonly explained: readonly number[];
  readonly open: readonly number[];
}

/** A page's name and its numbers, e.g. `wire-types 7, 9, newest-wire 13`. */
const MENTION = /\b([a-z-]+)((?: \d+,?)+)/g;

/**
 * Compares titles of tests under `packages` and `tooling`, and tables under `docs/decisions`, with the lists of
 * `docs/protocol/requirements`.
 */
export function coverage(repository: string): PageCoverage[] {
  const titles = testSources(repository).flatMap(testTitles);
  const decisions = filesUnder(join(repository, "docs", "decisions"), ".md");
  const rows = decisions.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| ")),
  );
  const tested = numbersIn(titles);
  const explained = numbersIn(rows.map((row) => row.split("|")[1] ?? ""));
  return [...requirementLists(repository)].map(([page, total]) => {
    const numbers = Array.from({ length: total }, (_, index) => index + 1);
    const isTested = (number: number) => tested.get(page)?.has(number) ?? false;
    const isExplained = (number: number) => !isTested(number) && (explained.get(page)?.has(number) ?? false);
    return {
      page,
      total,
      tested: numbers.filter(isTested),
      explained: numbers.filter(isExplained),
      open: numbers.filter((number) => !isTested(number) && !isExplained(number)),
    };
  });
}

/** Reads the sources of all tests that may cite a number; the titles in this folder's own test are examples. */
export function testSources(repository: string): string[] {
  return ["packages", "tooling"]
    .flatMap((folder) => filesUnder(join(repository, folder), ".test.ts"))
    .filter((file) => dirname(file) !== import.meta.dirname)
    .map((file) => readFileSync(file, "utf8"));
}

/** The literal parts of the first arguments of `it`, `test` and `describe`, tables and options between included. */
export function testTitles(source: string): string[] {
  return [...source.matchAll(/["'`]([a-z-]+ \d+[^"'`]*)["'`]/g)].map(([, title = ""]) => title);
}

/** Numbers by page. A range `3-5` is not understood, on purpose: every number is to be found by searching for it. */
export function numbersIn(texts: readonly string[]): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  for (const text of texts) {
    for (const [, page = "", numbers = ""] of text.matchAll(MENTION)) {
      const set = found.get(page) ?? new Set<number>();
      for (const number of numbers.match(/\d+/g) ?? []) set.add(Number(number));
      found.set(page, set);
    }
  }
  return found;
}

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name === "node_modules" || name === "dist" || name.startsWith(".")) return [];
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesUnder(path, ending);
    return name.endsWith(ending) ? [path] : [];
  });
}
