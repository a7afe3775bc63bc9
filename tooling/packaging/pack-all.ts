import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { PACKED_ROOT, publicPackages, REPOSITORY, TARBALLS } from "./public-packages.js";
import { run } from "./run.js";

/** Packs every public package once, and unpacks what came of it, before the tests that look at the tarballs. */
export default async function packAll(): Promise<void> {
  rmSync(TARBALLS, { recursive: true, force: true });
  mkdirSync(TARBALLS, { recursive: true });
  const { exitCode, output } = await run(
    "pnpm",
    ["--recursive", "--filter", "./packages/*", "pack", "--pack-destination", TARBALLS],
    { cwd: REPOSITORY },
  );
  if (exitCode !== 0) throw new Error(`pnpm pack failed:\n${output}`);
  for (const { tarball, unpacked } of publicPackages) await unpack(tarball, unpacked);
}

async function unpack(tarball: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { exitCode, output } = await run("tar", ["-xzf", tarball, "-C", folder], { cwd: REPOSITORY });
  if (exitCode !== 0) throw new Error(`tar failed:\n${output}`);
  const beside = readdirSync(folder).filter((name) => name !== PACKED_ROOT);
  if (beside.length > 0) throw new Error(`${tarball} has files outside of ${PACKED_ROOT}/: ${beside}`);
}
