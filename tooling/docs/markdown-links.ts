/** A link of a Markdown page to something in this repository. */
export interface PageLink {
  /** Path as written, relative to the page; empty for the page itself; from the root, with `/`, where it is an address. */
  readonly path: string;
  /** Heading as written after `#`; undefined where the link names none. */
  readonly anchor: string | undefined;
  /** Number of the line, from 1. */
  readonly line: number;
}

/** Address of what is on the main branch: pages that are published apart from the repository link to it so. */
const REPOSITORY_ADDRESS = /^https:\/\/github\.com\/tinkex\/tinkex\/(?:blob|tree)\/main/;

/** Lists the links of a Markdown page into this repository; other addresses are left out, and so is what stands in code. */
export function pageLinks(markdown: string): readonly PageLink[] {
  return textLines(markdown).flatMap(({ text, line }) =>
    [...text.replaceAll(/`[^`]*`/g, "").matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, written = ""]) => {
      const target = written.replace(REPOSITORY_ADDRESS, "");
      if (/^[a-z]+:/i.test(target)) return [];
      const [path = "", anchor] = target.split("#");
      return [{ path, anchor, line }];
    }),
  );
}

/** Collects the anchors that GitHub gives the headings of a Markdown page. */
export function headingAnchors(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const used = new Map<string, number>();
  for (const { text } of textLines(markdown)) {
    const heading = /^#{1,6} (.*)$/.exec(text)?.[1];
    if (heading === undefined) continue;
    const slug = anchorOf(heading);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\]\([^()\s]*\)/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

/** Lines outside fenced code. */
function textLines(markdown: string): readonly { text: string; line: number }[] {
  let isCode = false;
  return markdown.split("\n").flatMap((text, index) => {
    if (text.trimStart().startsWith("```")) {
      isCode = !isCode;
      return [];
    }
    return isCode ? [] : [{ text, line: index + 1 }];
  });
}
