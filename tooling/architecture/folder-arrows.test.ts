import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { FOLDER_ARROWS } from "./folder-arrows.js";
import { sourceImports } from "./package-sources.js";

/** The folder of a source file below `src`; `undefined` for a file beside the folders. */
function folderOf(file: string): string | undefined {
  const [, folder, ...rest] = file.split("/");
  return rest.length === 0 ? undefined : folder;
}

describe.each(Object.entries(FOLDER_ARROWS))(
  "the folders of @tinkex/%s",
  (name, { order, forTests = [] }) => {
    const imports = sourceImports(name).filter(({ file }) => !forTests.includes(folderOf(file) ?? ""));

    it("are all named, and no others", () => {
      // Of both ends, as the lowest folders import nothing.
      const targets = imports
        .filter(({ specifier }) => specifier.startsWith("."))
        .map(({ file, specifier }) => posix.join(posix.dirname(file), specifier));
      const files = [...imports.map(({ file }) => file), ...targets];
      const folders = new Set(files.map(folderOf).filter((folder) => folder !== undefined));
      expect([...folders].sort()).toEqual([...order].sort());
    });

    it("import from themselves and from those further down", () => {
      const upward = imports
        .filter(({ specifier }) => specifier.startsWith("."))
        .filter(({ file, specifier }) => {
          const from = folderOf(file);
          if (from === undefined) return false;
          const to = folderOf(posix.join(posix.dirname(file), specifier));
          return to === undefined || order.indexOf(to) < order.indexOf(from);
        })
        .map(({ file, specifier }) => `${file} imports ${specifier}`);
      expect(upward).toEqual([]);
    });
  },
);
