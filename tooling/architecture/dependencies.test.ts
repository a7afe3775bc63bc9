import { describe, expect, it } from "vitest";
import { ALLOWED_DEPENDENCIES } from "./allowed-dependencies.js";
import { packageFolders, reachableImports, readManifest, sourceImports } from "./package-sources.js";

/** `@scope/name/sub` and `name/sub` to the package's own name. */
function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

it("names every package of the workspace, and no other", () => {
  expect(Object.keys(ALLOWED_DEPENDENCIES).sort()).toEqual(packageFolders);
});

describe.each(Object.entries(ALLOWED_DEPENDENCIES))("@tinkex/%s", (folder, allowance) => {
  const siblings = allowance.siblings.map((name) => `@tinkex/${name}`);
  const required = [...siblings, ...allowance.libraries].sort();

  it("declares the dependencies it may have, and no other", () => {
    const manifest = readManifest(folder);
    expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual(required);
    const optional = { ...manifest.optionalDependencies, ...manifest.peerDependencies };
    expect(Object.keys(optional).sort()).toEqual([...(allowance.optional ?? [])].sort());
  });

  it("imports nothing else", () => {
    const allowed = new Set([...required, ...(allowance.optional ?? []), ...(allowance.bundled ?? [])]);
    const foreign = sourceImports(folder).filter(
      ({ specifier }) =>
        !specifier.startsWith(".") && !specifier.startsWith("node:") && !allowed.has(packageOf(specifier)),
    );
    expect(foreign).toEqual([]);
  });

  it.each(allowance.browserEntries)("reaches nothing of Node from %s", (entry) => {
    const nodeImports = reachableImports(folder, entry).filter(({ specifier }) =>
      specifier.startsWith("node:"),
    );
    expect(nodeImports).toEqual([]);
  });
});
