import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the repository. */
export const REPOSITORY = join(import.meta.dirname, "..", "..");

/** Folder of the tarballs of one run. */
export const TARBALLS = join(REPOSITORY, ".cache", "tarballs");

/** Folder that all files of a tarball are in. */
export const PACKED_ROOT = "package";

export interface PublicPackage {
  /** e.g. `@tinkex/types` */
  readonly name: string;
  readonly folder: string;
  readonly tarball: string;
  /** Folder in which the tarball was unpacked. */
  readonly unpacked: string;
  /** Siblings it needs at run time, transitively, itself first. */
  readonly closure: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const folders = readdirSync(join(REPOSITORY, "packages")).map((name) => join(REPOSITORY, "packages", name));
const manifests = new Map<string, { readonly folder: string; readonly manifest: Manifest }>(
  folders.map((folder) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return [manifest.name, { folder, manifest }];
  }),
);

function closureOf(name: string, seen: Set<string> = new Set()): readonly string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  for (const dependency of Object.keys(manifests.get(name)?.manifest.dependencies ?? {})) {
    if (manifests.has(dependency)) closureOf(dependency, seen);
  }
  return [...seen];
}

/** Every package below `packages/`, as it will be published. */
export const publicPackages: readonly PublicPackage[] = [...manifests].map(([name, { folder, manifest }]) => {
  const packed = join(TARBALLS, `${name.replace("@", "").replace("/", "-")}-${manifest.version}`);
  return { name, folder, tarball: `${packed}.tgz`, unpacked: packed, closure: closureOf(name) };
});

/** Tarballs that `npm install` needs to install `name`: a sibling alone would be looked for in the registry. */
export function tarballsFor(name: string): readonly string[] {
  const closure = publicPackages.find((entry) => entry.name === name)?.closure ?? [];
  return publicPackages.filter((entry) => closure.includes(entry.name)).map((entry) => entry.tarball);
}
