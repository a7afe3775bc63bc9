import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { coverage, numbersIn, testSources, testTitles } from "./coverage.js";
import { citableSections, countItems, requirementLists } from "./requirement-lists.js";

const REPOSITORY = join(import.meta.dirname, "..", "..");
/** Lists whose every number has a test or a reason; the others are counted without a threshold. */
const COMPLETE = ["wire-types", "protobuf", "newest-wire", "transport", "telemetry"];
/** Numbers of further lists that may still be open; all others of theirs have a test or a reason, and keep it. */
const MAY_BE_OPEN: Readonly<Record<string, readonly number[]>> = {
  clients: [],
  // The command line.
  "newest-clients": [52, 53, 54, 55],
};

it("finds titles and the numbers in them", () => {
  const source = `it("wire-types 7, 9: a", f); it.each([["newest-wire 13: %s"]])("x", f); // wire-types 99`;
  expect(testTitles(source)).toEqual(["wire-types 7, 9: a", "newest-wire 13: %s"]);
  const numbers = numbersIn(["wire-types 7, 9: a", "newest-wire 13, wire-types 2: b"]);
  expect(numbers.get("wire-types")).toEqual(new Set([7, 9, 2]));
  expect(numbers.get("newest-wire")).toEqual(new Set([13]));
});

it("counts the items of a list across its headings, and refuses one that is out of place", () => {
  expect(countItems("# a\n\n1. x\n   1. y\n2. z\n\n## b\n\n3. w 4. v\n")).toBe(3);
  expect(countItems("# nothing\n")).toBe(0);
  expect(() => countItems("1. a\n3. b\n")).toThrow("item 3 does not follow the one before it");
  expect(() => countItems("1. a\n1. b\n")).toThrow("item 1 does not follow the one before it");
});

it("finds the sections that titles cite", () => {
  const page = "# Page\n\n1. no\n\n## 3. Losses\n\n### 3.7 Masked\n\n## 12. What\n\n1. a\n2. b\n";
  expect(citableSections(page)).toEqual(new Set([".1", "3", "3.7", "12", "12.1", "12.2"]));
});

it("every number of the lists on records, bytes and transport is tested or explained", () => {
  const open = coverage(REPOSITORY).filter(({ page }) => COMPLETE.includes(page));
  expect(Object.fromEntries(open.map(({ page, open }) => [page, open]))).toEqual({
    "wire-types": [],
    protobuf: [],
    "newest-wire": [],
    transport: [],
    telemetry: [],
  });
});

it.each(Object.entries(MAY_BE_OPEN))(
  "no number of %s is open but those that are known to be",
  (name, mayBeOpen) => {
    const page = coverage(REPOSITORY).find((one) => one.page === name);
    expect(page?.total).toBeGreaterThan(50);
    expect(page?.open.filter((number) => !mayBeOpen.includes(number))).toEqual([]);
  },
);

it("every number that a title cites is in its list", () => {
  const cited = numbersIn(testSources(REPOSITORY).flatMap(testTitles));
  const unknown = [...requirementLists(REPOSITORY)].flatMap(([page, total]) =>
    [...(cited.get(page) ?? [])].filter((number) => number > total).map((number) => `${page} ${number}`),
  );
  expect(unknown).toEqual([]);
});

it.each([
  {
    what: "field report",
    page: "field-reports.md",
    pattern: /\b(BR-\d{3})\b/g,
    known: (page: string) => new Set([...page.matchAll(/^\| (BR-\d{3}) \|/gm)].map(([, number]) => number)),
  },
  {
    what: "section of the losses",
    page: "losses.md",
    pattern: /["'`]loss-functions (\d+(?:\.\d+)?)/g,
    known: citableSections,
  },
])("every $what that a title cites is in its page", ({ page, pattern, known }) => {
  const cited = testSources(REPOSITORY).flatMap((source) =>
    [...source.matchAll(pattern)].map(([, number]) => number),
  );
  const there = known(readFileSync(join(REPOSITORY, "docs", "protocol", page), "utf8"));
  expect(cited.length).toBeGreaterThan(10);
  expect(cited.filter((number) => !there.has(number ?? ""))).toEqual([]);
});
