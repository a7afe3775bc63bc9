import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Folder of the lists, from the root of the repository. */
const LISTS = join("docs", "protocol", "requirements");

/** Reads how many numbered items each list of `docs/protocol/requirements` has, by the name that titles cite. */
export function requirementLists(repository: string): Map<string, number> {
  const folder = join(repository, LISTS);
  const files = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return new Map(
    files.map((name) => [name.slice(0, -".md".length), countItems(readFileSync(join(folder, name), "utf8"))]),
  );
}

/**
 * Counts the items of a numbered list, which headings may divide.
 *
 * @throws Error when the numbers do not go 1, 2, 3, …, since a title would then cite another item than its author meant
 */
export function countItems(markdown: string): number {
  const numbers = [...markdown.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  const misplaced = numbers.find((number, index) => number !== index + 1);
  if (misplaced !== undefined) {
    throw new Error(`item ${misplaced} does not follow the one before it: numbers of a list go 1, 2, 3, …`);
  }
  return numbers.length;
}

/** Collects what titles cite as `loss-functions 3.7` or `12.1`: a numbered section, or an item of the list in one. */
export function citableSections(markdown: string): Set<string> {
  const sections = new Set<string>();
  let section = "";
  for (const line of markdown.split("\n")) {
    const heading = /^#{2,3} (\d+(?:\.\d+)?)\W/.exec(line)?.[1];
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    if (heading !== undefined) sections.add(heading);
    else if (item !== undefined) sections.add(`${section}.${item}`);
  }
  return sections;
}
