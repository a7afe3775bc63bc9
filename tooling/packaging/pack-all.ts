import { mkdirSync, rmSync } from "node:fs";
import { REPOSITORY, TARBALLS } from "./public-packages.js";
import { run } from "./run.js";

/** Packs every public package once, before the tests that look at the tarballs. */
export default async function packAll(): Promise<void> {
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  const { exitCode, output } = await run(
    "pnpm",
    ["--recursive", "--filter", "./packages/*", "pack", "--pack-destination", TARBALLS],
    { cwd: REPOSITORY },
  );
  if (exitCode !== 0) throw new Error(`pnpm pack failed:\n${output}`);
}
