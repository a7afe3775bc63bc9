import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = join(import.meta.dirname, "baseline.json");

/** How many findings each folder has of each rule; what is absent is 0. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A count that is not the committed one. */
export interface Change {
  readonly folder: string;
  readonly rule: string;
  readonly committed: number;
  readonly found: number;
}

/** Counts findings by folder and rule, both in the order of the alphabet. */
export function countFindings(
  findings: readonly { readonly folder: string; readonly rule: string }[],
): Counts {
  const counts: Record<string, Record<string, number>> = {};
  const inOrder = [...findings].sort((a, b) => compare(a.folder, b.folder) || compare(a.rule, b.rule));
  for (const { folder, rule } of inOrder) {
    const ofFolder = counts[folder] ?? {};
    counts[folder] = { ...ofFolder, [rule]: (ofFolder[rule] ?? 0) + 1 };
  }
  return counts;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Lists the counts that differ. */
export function changesBetween(committed: Counts, found: Counts): Change[] {
  const folders = new Set([...Object.keys(committed), ...Object.keys(found)]);
  return [...folders].sort().flatMap((folder) => {
    const [before = {}, now = {}] = [committed[folder], found[folder]];
    const rules = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
    return rules
      .map((rule) => ({ folder, rule, committed: before[rule] ?? 0, found: now[rule] ?? 0 }))
      .filter((change) => change.committed !== change.found);
  });
}

/** Says what to do about a count that differs. */
export function describeChange({ folder, rule, committed, found }: Change): string {
  const remedy =
    found > committed
      ? "see docs/style.md, and `pnpm --filter @tinkex-tooling/style print` for the places"
      : "lower it with `pnpm --filter @tinkex-tooling/style run update`";
  return `${folder}: ${rule} must be ${committed}, got ${found}; ${remedy}`;
}

export function readBaseline(): Counts {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

export function writeBaseline(counts: Counts): void {
  writeFileSync(FILE, `${JSON.stringify(counts, null, 2)}\n`);
}
