import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ResponseError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { paxHeader, type TarPart, tarArchive, tarEntry } from "../testing/tar-archive.js";
import type { DownloadLimits } from "./download-options.js";
import { extractArchive } from "./extract-archive.js";
import { tarEntries } from "./tar-entries.js";

const LIMITS: DownloadLimits = { maxBytes: 10_000_000, maxFiles: 50, maxRatio: 100 };
/** Place that an archive must not reach. */
const OUTSIDE = join(tmpdir(), `tinkex-outside-${process.pid}`);
let folder: string;
beforeEach(() => {
  folder = temporaryDirectory();
});

/** Unpacks an archive into a folder beside others, and gives what is in it. */
async function extract(archive: Uint8Array, limits: Partial<DownloadLimits> = {}): Promise<string[]> {
  await writeFile(join(folder, "archive.tar"), archive);
  await mkdir(join(folder, "files"));
  const signal = AbortSignal.timeout(10_000);
  const files = await extractArchive(join(folder, "archive.tar"), join(folder, "files"), {
    limits: { ...LIMITS, ...limits },
    signal,
    isFlushed: false,
  });
  return files.map(({ name }) => name);
}

const good: TarPart = { name: "adapter_config.json", content: "{}" };
const named = (name: string | Uint8Array): Buffer => tarArchive(good, { name, content: "evil" });
const flagged = (flag: string, linkTo = ""): Buffer => tarArchive(good, { name: "link", flag, linkTo });
const megabyte = Buffer.alloc(1024 * 1024);
const whole = tarArchive(good, { name: "weights", content: Buffer.alloc(3_000, 7) });

const HOSTILE: Readonly<Record<string, Uint8Array>> = {
  "a path that leads out": named("../evil"),
  "a path that leads out from a folder": named("a/../../evil"),
  "a path that leads out and in again": named("a/../evil"),
  "a path of two dots alone": tarArchive(good, { name: "..", flag: "5" }),
  "an absolute path": named(OUTSIDE),
  "an absolute path of two slashes": named(`/${OUTSIDE}`),
  "an absolute path of Windows": named("C:\\evil"),
  "a path with a drive": named("c:evil"),
  "a path with backslashes": named("..\\evil"),
  "a path that leads out by its first part": tarArchive(good, { name: "evil", prefix: ".." }),
  "a path that leads out by an extended header": tarArchive(good, paxHeader({ path: "../evil" }), {
    name: "kind",
  }),
  "a path that leads out by a long name": tarArchive(
    good,
    { name: "long", flag: "L", content: "../evil\0" },
    { name: "kind" },
  ),
  "an absolute path by an extended header": tarArchive(good, paxHeader({ path: OUTSIDE }), {
    name: "kind",
  }),
  "a zero byte in a name": tarArchive(good, paxHeader({ path: "evil\0.txt" }), { name: "kind" }),
  "a name for all entries": tarArchive(paxHeader({ path: "evil" }, "g"), good),
  "a line feed in a name": named("evil\nname"),
  "a name that is no UTF-8": named(Buffer.from([0xff, 0xfe, 0x41])),
  "an empty name": named(""),
  "the name of a device": named("AUX.json"),
  "a name that ends in a dot": named("evil."),
  "a name of our own": named(".Tinkex-Download.json"),
  "a folder with a name of our own": named(".Tinkex-Download.json/evil"),
  "a symbolic link": flagged("2", "/etc/passwd"),
  "a symbolic link to a file in it": flagged("2", "adapter_config.json"),
  "a link and a file that goes through it": tarArchive(
    { name: "d", flag: "2", linkTo: ".." },
    { name: "d/evil", content: "evil" },
  ),
  "a hard link": flagged("1", "/etc/passwd"),
  "a character device": flagged("3"),
  "a block device": flagged("4"),
  "a pipe": flagged("6"),
  "a sparse file": flagged("S"),
  "a sparse file of pax": tarArchive(good, paxHeader({ "GNU.sparse.major": "1" }), { name: "kind" }),
  "an entry of an unknown kind": flagged("V"),
  "the same name twice": tarArchive(good, good),
  "names that differ in case": tarArchive(good, { name: "Adapter_Config.json" }),
  "folders that differ in case": tarArchive({ name: "a/x" }, { name: "A/y" }),
  "names that differ in how an accent is written": tarArchive({ name: "caf\u00e9" }, { name: "cafe\u0301" }),
  "names that differ in a sharp s": tarArchive({ name: "stra\u00dfe" }, { name: "STRASSE" }),
  "a file in a file": tarArchive(good, { name: "adapter_config.json/evil" }),
  "a folder in place of a file": tarArchive(good, { name: "adapter_config.json", flag: "5" }),
  "a folder with content": tarArchive(good, { name: "a", flag: "5", content: "evil" }),
  "more folders than there may be": named(`${"a/".repeat(40)}evil`),
  "more files than there may be": tarArchive(
    ...Array.from({ length: 60 }, (_, index) => ({ name: `f${index}` })),
  ),
  "more bytes than there may be": gzipSync(
    Buffer.concat(
      Array.from({ length: 12 }, (_, index) => tarEntry({ name: `f${index}`, content: megabyte })),
    ),
  ),
  "a size that is not there": tarArchive(good, { name: "evil", byteLength: 8 ** 11 - 1 }),
  "a size that is not there, by pax": tarArchive(good, paxHeader({ size: "9007199254740993" }), {
    name: "evil",
  }),
  "a size below zero, by pax": tarArchive(good, paxHeader({ size: "-1" }), { name: "evil" }),
  "an extended header of 8 MB": tarArchive({ name: "pax", flag: "x", byteLength: 8_000_000 }, good),
  "extended headers without end": tarArchive(
    ...Array.from({ length: 20 }, () => paxHeader({ path: "a" })),
    good,
  ),
  "an extended header that lies about its length": tarArchive(
    { name: "pax", flag: "x", content: "99 path=evil\n" },
    good,
  ),
  "an extended header that does not advance": tarArchive(
    { name: "pax", flag: "x", content: "0 path=evil\n" },
    good,
  ),
  "a gzip bomb": gzipSync(
    Buffer.concat([tarEntry({ name: "zeros", content: Buffer.alloc(9_000_000) }), Buffer.alloc(1_024)]),
  ),
  "a gzip bomb after its end": gzipSync(Buffer.concat([tarArchive(good), Buffer.alloc(9_000_000)])),
  "a damaged header": tarArchive(good, { name: "evil", isDamaged: true }),
  "an end that is missing": whole.subarray(0, -1_024),
  "half of its end": whole.subarray(0, -512),
  "a cut in a file": whole.subarray(0, 3_000),
  "a cut in a header": whole.subarray(0, 1_300),
  "a cut in gzip": gzipSync(whole).subarray(0, -6),
  "a wrong checksum of gzip": Buffer.concat([gzipSync(whole).subarray(0, -8), Buffer.alloc(8, 1)]),
  "no bytes": new Uint8Array(),
  "no files": tarArchive({ name: "a", flag: "5" }),
  "text in place of an archive": Buffer.from("<html>not found</html>".repeat(100)),
  "a zip": Buffer.from("PK\u0003\u0004".padEnd(600, "x")),
  bzip2: Buffer.from("BZh91AY".padEnd(600, "x")),
};

describe("an archive", () => {
  it.each(Object.entries(HOSTILE))(
    "with %s is refused by name, and nothing lies outside its folder",
    async (_, archive) => {
      const failure = await extract(archive).then(String, (error: unknown) => error);
      expect(failure).toBeInstanceOf(ResponseError);
      expect(String(failure)).toMatch(/checkpoint/);
      expect((await readdir(folder)).sort()).toEqual(["archive.tar", "files"]);
      const made = await readdir(join(folder, "files"), { recursive: true, withFileTypes: true });
      expect(made.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
      await expect(readdir(OUTSIDE)).rejects.toThrow("ENOENT");
    },
  );

  it.each(["plain", "gzip"])(
    "that is honest is unpacked: folders, long names, sizes of pax, %s",
    async (form) => {
      const long = `deep/${"n".repeat(150)}.bin`;
      const bytes = tarArchive(
        paxHeader({ comment: "of all" }, "g"),
        { name: "deep/", flag: "5" },
        paxHeader({ path: long, mtime: "1.5" }),
        { name: "short", content: "a" },
        { name: "long", flag: "L", content: `${long}2\0` },
        { name: "short", content: "b" },
        paxHeader({ size: "3" }),
        { name: "./c", content: "ccc", byteLength: 0 },
        { name: "d", prefix: "deep", content: "d" },
        { name: "old/", flag: "\0" },
        { name: "empty", flag: "\0" },
      );
      const names = await extract(form === "gzip" ? gzipSync(bytes) : bytes);
      expect(names).toEqual([long, `${long}2`, "c", "deep/d", "empty"]);
      expect(await readFile(join(folder, "files", "c"), "utf8")).toBe("ccc");
      expect(await readFile(join(folder, "files", "deep", "d"), "utf8")).toBe("d");
      expect(await readFile(join(folder, "files", `${long}2`), "utf8")).toBe("b");
    },
  );

  it("may grow as far as its limits allow, and no further", async () => {
    const archive = gzipSync(tarArchive({ name: "zeros", content: Buffer.alloc(5_000_000) }));
    const needed = Math.ceil((5_001_536 - 1024 * 1024) / archive.length);
    await expect(extract(archive, { maxRatio: needed - 1 })).rejects.toThrow("maxRatio");
    await rm(join(folder, "files"), { recursive: true });
    expect(await extract(archive, { maxRatio: needed, maxBytes: 5_000_000, maxFiles: 1 })).toEqual(["zeros"]);
  });

  it.each(["is refused", "is given up"])("lets its file go when it %s", async (how) => {
    let isOpen = true;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield how === "is refused" ? flagged("2") : whole;
      } finally {
        isOpen = false;
      }
    }
    const entries = tarEntries(source());
    await entries.next();
    expect(isOpen).toBe(true);
    if (how === "is refused") await expect(entries.next()).rejects.toThrow("symbolic link");
    else await entries.return(undefined);
    expect(isOpen).toBe(false);
  });

  it("that is aborted while it is unpacked ends at once", async () => {
    await writeFile(join(folder, "archive.tar"), whole);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    const work = { limits: LIMITS, signal, isFlushed: false };
    await expect(extractArchive(join(folder, "archive.tar"), folder, work)).rejects.toBe(reason);
  });
});
