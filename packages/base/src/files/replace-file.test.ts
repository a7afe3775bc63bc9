import { spawnSync } from "node:child_process";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, expect, it } from "vitest";
import { ValidationError } from "../errors/api-errors.js";
import { processMark } from "../processes/process-mark.js";
import { replaceFile } from "./replace-file.js";

let folder: string;
beforeEach(() => {
  folder = temporaryDirectory();
});

const ID = "01234567-89ab-cdef-0123-456789abcdef";
const [machine = ""] = processMark().split("-");
const { pid: endedPid } = spawnSync(process.execPath, ["--version"]);
const GONE = `${machine}-${endedPid}`;
const write = (name: string) => replaceFile(join(folder, name), (file) => file.writeFile("new"));

/** Puts a file there that was written to three minutes ago. */
async function leave(name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, "half");
  const then = Date.now() / 1_000 - 180;
  await utimes(path, then, then);
  return path;
}

it("takes away what a killed process left of the same target, by the next write", async () => {
  await leave(`file.bin.${GONE}.${ID}.partial`);
  await leave(`file.bin.${GONE}.${ID.replace("0", "f")}.partial`);
  await write("file.bin");
  expect(await readdir(folder)).toEqual(["file.bin"]);
  expect(await readFile(join(folder, "file.bin"), "utf8")).toBe("new");
});

it("takes it away for names that are too long to stand in full, too", async () => {
  const name = "n".repeat(200);
  await leave(`${name.slice(0, 40)}.${GONE}.${ID}.partial`);
  await write(name);
  expect(await readdir(folder)).toEqual([name]);
});

it.each([
  ["is cut within a character", `${"n".repeat(39)}😀-file.bin`, `${"n".repeat(39)}\ufffd`],
  ["is of such characters alone", "😀".repeat(50), "😀".repeat(20)],
  ["has half a character", "a\ud83d.bin", "a\ufffd.bin"],
])("finds it again where the name %s", async (_, name, part) => {
  await leave(`${part}.${GONE}.${ID}.partial`);
  await write(name);
  expect(await readdir(folder)).toEqual([Buffer.from(name).toString()]);
});

it("leaves what others write, and what is not its own", async () => {
  const kept = [
    `file.bin.${processMark()}.${ID}.partial`,
    `file.bin.00000000-${endedPid}.${ID}.partial`,
    `other.bin.${GONE}.${ID}.partial`,
    `file.bin.${GONE}.${ID}.partial.txt`,
    `file.bin.${ID}.partial`,
    "file.bin.partial",
  ];
  for (const name of kept) await leave(name);
  const target = await leave("of-another-program");
  const link = `file.bin.${GONE}.${ID.replace("0", "a")}.partial`;
  await symlink(target, join(folder, link));
  const directory = `file.bin.${GONE}.${ID.replace("0", "b")}.partial`;
  await mkdir(join(folder, directory));
  await write("file.bin");
  expect((await readdir(folder)).sort()).toEqual(
    [...kept, link, directory, "file.bin", "of-another-program"].sort(),
  );
});

it("leaves what was written to a moment ago: containers may share a folder and the name of a machine", async () => {
  const name = `file.bin.${GONE}.${ID}.partial`;
  await writeFile(join(folder, name), "half");
  await write("file.bin");
  expect(await readdir(folder)).toContain(name);
});

it("gives the growing file a name that tells its process, and none afterwards", async () => {
  let seen: string[] = [];
  await replaceFile(join(folder, "file.bin"), async () => {
    seen = await readdir(folder);
  });
  expect(seen).toHaveLength(1);
  expect(seen[0]?.startsWith(`file.bin.${processMark()}.`)).toBe(true);
  expect(await readdir(folder)).toEqual(["file.bin"]);
});

it("makes a file that others may read where it holds nothing private, and else its owner's alone", async () => {
  const modeOf = async (options?: { readonly isPrivate: boolean }) => {
    await rm(join(folder, "file.bin"), { force: true });
    await replaceFile(join(folder, "file.bin"), (file) => file.writeFile("new"), options);
    return (await stat(join(folder, "file.bin"))).mode & 0o777;
  };
  expect(await modeOf()).toBe(0o600);
  expect(await modeOf({ isPrivate: false })).toBe(0o666 & ~process.umask());
});

it.skipIf(process.platform === "win32").each([0o600, 0o640, 0o664, 0o755])(
  "keeps the permissions of a file that was there (%o) where it holds nothing private",
  async (mode) => {
    const path = join(folder, "file.bin");
    await writeFile(path, "old");
    await chmod(path, mode);
    await replaceFile(path, (file) => file.writeFile("new"), { isPrivate: false });
    expect((await stat(path)).mode & 0o777).toBe(mode);
    await write("file.bin");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  },
);

it.runIf(process.getuid?.() === 0)("keeps its owner too, where the system allows it", async () => {
  const path = join(folder, "file.bin");
  await writeFile(path, "old");
  await chown(path, 1_234, 2_345);
  await replaceFile(path, (file) => file.writeFile("new"), { isPrivate: false });
  expect(await stat(path)).toMatchObject({ uid: 1_234, gid: 2_345 });
});

it.each([
  ["stays where the file holds nothing private", { isPrivate: false }, true],
  ["stays where it is asked for", { keepsLink: true }, true],
  ["goes else, and what it leads to is left", {}, false],
  ["goes where that is asked for", { isPrivate: false, keepsLink: false }, false],
])("a link in the place of the file %s", async (_, options, isKept) => {
  await mkdir(join(folder, "elsewhere"));
  const real = join(folder, "elsewhere", "real.bin");
  const path = join(folder, "file.bin");
  await writeFile(real, "old");
  await symlink(real, path);
  await replaceFile(path, (file) => file.writeFile("new"), options);
  expect((await lstat(path)).isSymbolicLink()).toBe(isKept);
  expect(await readFile(path, "utf8")).toBe("new");
  expect(await readFile(real, "utf8")).toBe(isKept ? "new" : "old");
  expect(await readdir(join(folder, "elsewhere"))).toEqual(["real.bin"]);
});

it.each([
  ["a folder", () => folder],
  ["a folder by way of another", () => `${join(folder, "inner")}/..`],
  ["a name that ends in a separator", () => `${join(folder, "new")}/`],
  ["no name", () => ""],
  ["a link to a folder", () => join(folder, "link")],
])("refuses %s before anything is written", async (_, place) => {
  await mkdir(join(folder, "inner"));
  await symlink(join(folder, "inner"), join(folder, "link"));
  let hasWritten = false;
  const refused = replaceFile(
    place(),
    async () => {
      hasWritten = true;
    },
    { isPrivate: false },
  );
  await expect(refused).rejects.toBeInstanceOf(ValidationError);
  await expect(refused).rejects.toThrow(/^replaceFile: path must be the path of a file, got /);
  expect(hasWritten).toBe(false);
  expect((await readdir(folder)).sort()).toEqual(["inner", "link"]);
});

it.skipIf(process.platform === "win32")(
  "tells of a name that is too long before anything is written",
  async () => {
    let hasWritten = false;
    const refused = replaceFile(join(folder, "n".repeat(300)), async () => {
      hasWritten = true;
    });
    await expect(refused).rejects.toMatchObject({
      code: "validation_failed",
      cause: { code: "ENAMETOOLONG" },
    });
    expect(hasWritten).toBe(false);
  },
);
