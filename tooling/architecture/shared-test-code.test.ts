import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageFolders } from "./package-sources.js";

const PACKAGES = join(import.meta.dirname, "..", "..", "packages");

/** Files below `packages/*\/src` in which `pattern` matches a line. */
function filesWith(pattern: RegExp, isMeant: (file: string) => boolean): readonly string[] {
  return packageFolders.flatMap((folder) => {
    const source = join(PACKAGES, folder, "src");
    return readdirSync(source, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && isMeant(file))
      .filter((file) => pattern.test(readFileSync(join(source, file), "utf8")))
      .map((file) => join(folder, "src", file));
  });
}

const isTest = (file: string): boolean => file.endsWith(".test.ts");

// Test files of a package share a process, and with it the modules that they import: what such a module registers when it is loaded
// belongs to the first file alone (docs/decisions/056).
it("no module that tests share registers a hook or a setting of vitest when it is loaded", () => {
  const hook = /^(?:before|after|around)(?:Each|All)\(|^vi\.\w+\(/m;
  expect(filesWith(hook, (file) => !isTest(file))).toEqual([]);
  expect(filesWith(hook, isTest).length).toBeGreaterThan(30);
});

it("no test makes a temporary directory by itself: @tinkex-tooling/testing removes those that it makes", () => {
  expect(filesWith(/\bmkdtemp(?:Sync)?\(/, isTest)).toEqual([]);
  expect(filesWith(/\btemporaryDirectory\(/, isTest).length).toBeGreaterThan(50);
});
