import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PACKED_ROOT, type PublicPackage } from "./public-packages.js";

/** Contents of a packed package. */
export interface PackedFiles {
  /** Paths from the package's own folder, with `/`. */
  readonly files: readonly string[];
  /** The text of one of them. */
  text(file: string): string;
}

/** Lists and reads the files of a package as they are in its tarball. */
export function packedFiles({ unpacked }: Pick<PublicPackage, "unpacked">): PackedFiles {
  const root = join(unpacked, PACKED_ROOT);
  return {
    files: readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
    text: (file) => readFileSync(join(root, file), "utf8"),
  };
}
