import { mkdirSync, rmSync } from "node:fs";
import { publicPackages, TARBALLS } from "./public-packages.js";
import { run } from "./run.js";

/** Packs every public package once, before the tests that look at the tarballs. */
export default async function packAll(): Promise<void> {
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  for (const { name, folder } of publicPackages) {
    const { exitCode, output } = await run("pnpm", ["pack", "--pack-destination", TARBALLS], { cwd: folder });
    if (exitCode !== 0) throw new Error(`pnpm pack failed for ${name}:\n${output}`);
  }
}
