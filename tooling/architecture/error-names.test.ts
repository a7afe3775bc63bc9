import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { packageEntries, pinOf } from "./package-sources.js";

/** The entries that export classes of errors, each with their names as they are pinned. */
const errorsByEntry = packageEntries.flatMap((entry) => {
  const pinned = readFileSync(join(import.meta.dirname, pinOf(entry)), "utf8").split("\n");
  const errors = pinned.filter((name) => /^[A-Z]\w*Error$/.test(name));
  return errors.length === 0 ? [] : [{ entry, errors }];
});

/** What `entry` exports once a bundler has put it and all it needs into one file and shortened the names of classes. */
async function minifiedExports(entry: string): Promise<Readonly<Record<string, unknown>>> {
  const folder = temporaryDirectory();
  const outfile = join(folder, "bundle.cjs");
  await build({
    stdin: { contents: `export * from "${entry}"`, resolveDir: import.meta.dirname },
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "cjs",
    conditions: ["@tinkex/source"],
    logLevel: "silent",
  });
  return createRequire(import.meta.url)(outfile);
}

it.each(errorsByEntry)(
  "keeps the names of the errors of $entry in a minified bundle",
  async ({ entry, errors }) => {
    const classes = Object.entries(await minifiedExports(entry)).flatMap(([exported, value]) =>
      typeof value === "function" && value.prototype instanceof Error ? [{ exported, name: value.name }] : [],
    );
    expect(classes.map(({ exported }) => exported).sort()).toEqual(errors);
    expect(classes.filter(({ exported, name }) => name !== exported)).toEqual([]);
  },
);
