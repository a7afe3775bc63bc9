import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { packedFiles } from "./packed-files.js";
import { publicPackages, REPOSITORY } from "./public-packages.js";
import { run } from "./run.js";

const LICENCE = readFileSync(join(REPOSITORY, "LICENSE"), "utf8");

/** Of each package that holds or was made of others' work: sentences whose licences want to be seen by whoever receives it. */
const NOTICES: Readonly<Record<string, readonly string[]>> = {
  "@tinkex/local": [
    "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved.",
    "and that the same appear on ALL copies of the software, database and",
    "Title to copyright in this software, database and",
    "Copyright 2000-2018 by Kevin Atkinson",
    "that both that copyright notice and this permission notice appear in",
    "WordNet 1.6 Copyright 1997 by Princeton University.",
    "Copyright (c) J Ross Beresford 1993-1999. All Rights Reserved.",
    "Copyright 2016 by Benjamin Titze",
    "Copyright 1993, Geoff Kuenning, Granada Hills, CA",
    "Copyright 2016-2017 Julia Silge",
    "The above copyright notice and this permission notice shall be",
    "ONNX",
    "Copyright (c) 2025 Colin McDonnell",
  ],
  "@tinkex/renderers": ["Copyright 2025 Thinking Machines Lab"],
  "@tinkex/types": [
    "Copyright (c) 2025 Colin McDonnell",
    "The above copyright notice and this permission notice shall be included in all",
  ],
  "@tinkex/wire": ["Copyright 2025 Tinker"],
};

/** Libraries of which a part is built into a package. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  "@tinkex/local": ["zod"],
  "@tinkex/types": ["zod"],
};

/** Files that npm would pack, by package; npm is started once for all. */
let packedByNpm: ReadonlyMap<string, readonly string[]>;

interface PackedByNpm {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

beforeAll(async () => {
  const folders = publicPackages.map(({ folder }) => folder);
  const { exitCode, output } = await run(
    "npm",
    ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error", ...folders],
    { cwd: REPOSITORY },
  );
  expect(exitCode, output).toBe(0);
  const packed: readonly PackedByNpm[] = JSON.parse(output);
  packedByNpm = new Map(packed.map(({ name, files }) => [name, files.map(({ path }) => path)]));
});

describe.each(publicPackages)("$name as it will be published", ({ name, folder, unpacked }) => {
  const { files, text } = packedFiles({ unpacked });

  it("holds the whole text of its licence", () => {
    expect(text("LICENSE")).toBe(LICENCE);
    expect(JSON.parse(text("package.json")).license).toBe("Apache-2.0");
  });

  it("holds the notices that the work of others in it wants", () => {
    const sentences = NOTICES[name];
    expect(files.includes("NOTICE")).toBe(sentences !== undefined);
    if (sentences === undefined) return;
    const notice = text("NOTICE");
    expect(sentences.filter((sentence) => !notice.includes(sentence))).toEqual([]);
  });

  it("holds the same texts when npm packs it", () => {
    const texts = packedByNpm.get(name)?.filter((path) => /^(?:LICENSE|NOTICE)$/.test(path));
    expect(texts).toEqual(name in NOTICES ? ["LICENSE", "NOTICE"] : ["LICENSE"]);
  });

  it("names in its notice every source of schemas and models that is built into it", () => {
    const sources = ["proto", "models"]
      .map((place) => join(folder, place))
      .filter((place) => existsSync(place))
      .flatMap((place) => readdirSync(place));
    const notice = sources.length === 0 ? "" : readFileSync(join(folder, "NOTICE"), "utf8");
    expect(sources.filter((source) => !notice.includes(source))).toEqual([]);
  });

  it("names in its notice every library of which a part is built into it", () => {
    const code = files.filter((file) => file.startsWith("dist/") && file.endsWith(".js")).map(text);
    // The bundler says above each file's code where it is from.
    const origins = code.join("\n").matchAll(/^\/\/#region .*node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//gm);
    const libraries = new Set([...origins].map(([, library = ""]) => library));
    expect([...libraries]).toEqual(WITHIN[name] ?? []);
    const notice = libraries.size === 0 ? "" : text("NOTICE");
    expect([...libraries].filter((library) => !notice.includes(`dist/${library}-`))).toEqual([]);
  });
});

it.each(["pocket-1", "pocket-2"])("the notice repeats what the card of %s says of its data", (model) => {
  const local = publicPackages.find(({ name }) => name === "@tinkex/local");
  const { text } = packedFiles({ unpacked: local?.unpacked ?? "" });
  const card = text(`models/${model}/README.md`);
  const notice = text("NOTICE");
  const sources = [...card.matchAll(/\(`([a-z-]+)` [^)]+\)/g)].map(([, source = ""]) => source);
  expect(sources).toHaveLength(3);
  expect(sources.filter((source) => !notice.includes(`\`${source}\``))).toEqual([]);
  expect(card).toContain("NOTICE");
});
