import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const PACKAGES = join(import.meta.dirname, "..", "..", "packages");

/** Names of the folders below `packages/`. */
export const packageFolders: readonly string[] = readdirSync(PACKAGES).sort();

export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(PACKAGES, folder, "package.json"), "utf8"));
}

/** Every address a user may import, e.g. `@tinkex/tokenizer/node`, from the manifests. */
export const packageEntries: readonly string[] = packageFolders.flatMap((folder) => {
  const { name, exports } = readManifest(folder);
  return Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => name + path.slice(1));
});

/** Every entry with the source file behind it, from the manifests. */
export const entrySources: readonly { readonly entry: string; readonly file: string }[] =
  packageFolders.flatMap((folder) => {
    const { name, exports } = readManifest(folder);
    return Object.entries(exports).flatMap(([path, targets]) => {
      const source =
        typeof targets === "object" && targets !== null && "@tinkex/source" in targets
          ? targets["@tinkex/source"]
          : undefined;
      if (typeof source !== "string") return [];
      return [{ entry: name + path.slice(1), file: join(PACKAGES, folder, source) }];
    });
  });

/** The file that pins what an entry exports at run time, relative to this folder. */
export function pinOf(entry: string): string {
  return `exports/${entry.replace("@tinkex/", "").replace("/", "-")}.txt`;
}

/** One import of a source file: where it stands and what it names. */
export interface SourceImport {
  /** Relative to the package, e.g. `src/index.ts`. */
  readonly file: string;
  readonly specifier: string;
  /** Erased before run time: `import type` and `export type`. */
  readonly typeOnly: boolean;
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

function importsOf(folder: string, absolute: string): readonly SourceImport[] {
  const file = relative(join(PACKAGES, folder), absolute);
  return [...readFileSync(absolute, "utf8").matchAll(IMPORT)].map((match) => ({
    file,
    specifier: match[2] ?? match[3] ?? "",
    typeOnly: match[1] !== undefined,
  }));
}

/** Every import of a package's shipped sources: tests, and their support in folders named `testing`, are left out. */
export function sourceImports(folder: string): readonly SourceImport[] {
  const source = join(PACKAGES, folder, "src");
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|(^|\/)testing\//.test(file))
    .flatMap((file) => importsOf(folder, join(source, file)));
}

/** Imports of every file that `entry` reaches at run time through relative imports. */
export function reachableImports(folder: string, entry: string): readonly SourceImport[] {
  const seen = new Set<string>();
  const found: SourceImport[] = [];
  const visit = (absolute: string): void => {
    if (seen.has(absolute)) return;
    seen.add(absolute);
    for (const entryImport of importsOf(folder, absolute)) {
      if (entryImport.typeOnly) continue;
      found.push(entryImport);
      if (entryImport.specifier.startsWith(".")) {
        visit(join(dirname(absolute), entryImport.specifier.replace(/\.js$/, ".ts")));
      }
    }
  };
  visit(join(PACKAGES, folder, entry));
  return found;
}
