import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { headingAnchors, pageLinks } from "./markdown-links.js";
import { REPOSITORY } from "./snippets.js";

it("finds links into the repository outside code", () => {
  const page =
    "[a](b.md#c) `[x](y)` [`d`](#e)\n\n```md\n[f](g)\n```\n[h](https://example.com/#i) [j](../k)\n" +
    "[l](https://github.com/tinkex/tinkex/blob/main/m.md#n) [o](https://github.com/tinkex/tinkex/issues)\n";
  expect(pageLinks(page)).toEqual([
    { path: "b.md", anchor: "c", line: 1 },
    { path: "", anchor: "e", line: 1 },
    { path: "../k", anchor: undefined, line: 6 },
    { path: "/m.md", anchor: "n", line: 7 },
  ]);
});

it("names headings as GitHub does", () => {
  const page =
    "# A b\n## 3.1 `x_y`, or *z*?\n## [f](g.md) – h\n```\n# no\n```\n# A b\n### `POST /a/b` (since 0.5.1*)\n";
  expect([...headingAnchors(page)]).toEqual(["a-b", "31-x_y-or-z", "f--h", "a-b-1", "post-ab-since-051"]);
});

it.each(documentationPages())("links of %s lead somewhere", (page) => {
  const file = join(REPOSITORY, page);
  const broken = pageLinks(readFileSync(file, "utf8")).filter(({ path, anchor }) => {
    const target =
      path === "" ? file : path.startsWith("/") ? join(REPOSITORY, path) : join(dirname(file), path);
    if (!existsSync(target)) return true;
    if (anchor === undefined || !target.endsWith(".md")) return false;
    return !headingAnchors(readFileSync(target, "utf8")).has(anchor);
  });
  expect(broken).toEqual([]);
});

it("reads the protocol reference and the packages' READMEs", () => {
  expect(documentationPages()).toEqual(
    expect.arrayContaining([
      "README.md",
      "docs/protocol/requirements/transport.md",
      "packages/local/README.md",
    ]),
  );
});

/** Every page under `docs`, every README, and the pages for contributors and reporters, from the root of the repository. */
function documentationPages(): string[] {
  return markdownUnder(REPOSITORY)
    .map((file) => relative(REPOSITORY, file))
    .filter(
      (page) =>
        page.startsWith("docs/") ||
        page.endsWith("README.md") ||
        ["CONTRIBUTING.md", "SECURITY.md"].includes(page),
    );
}

function markdownUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name === "dist" || entry.name.startsWith(".")) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return markdownUnder(path);
    return entry.name.endsWith(".md") ? [path] : [];
  });
}
