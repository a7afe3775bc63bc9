import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { fromHuggingFaceCache } from "./from-hugging-face-cache.js";
import { HubCache } from "./hub-cache.js";

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const TOKENIZER = JSON.stringify({ model: { type: "BPE", vocab: { secret: 0 }, merges: [] } });
const id = "org/model";
let parent: string;
let directory: string;
let outside: string;
let folder: string;

beforeEach(async () => {
  parent = temporaryDirectory();
  directory = join(parent, "hub");
  outside = join(parent, "outside");
  folder = join(directory, "models--org--model");
  await mkdir(outside);
  await writeFile(join(outside, "tokenizer.json"), TOKENIZER);
  for (const name of ["refs", join("snapshots", COMMIT), "blobs"])
    await mkdir(join(folder, name), { recursive: true });
});

describe("a poisoned ref", () => {
  it.each([
    ["a way out of the cache", "../../../outside"],
    ["an absolute path", "/etc"],
    ["an empty name", ""],
    ["a branch", "main"],
    ["a commit in capital letters", COMMIT.toUpperCase()],
    ["a commit and more", `${COMMIT}/../../../../outside`],
    ["39 digits", COMMIT.slice(1)],
  ])("stands for nothing: %s", async (_name, text) => {
    await writeFile(join(folder, "refs", "main"), text);
    expect(await new HubCache(directory).commit(id, "main")).toBeUndefined();
    expect(await fromHuggingFaceCache({ cacheDirectory: directory })({ id })).toBeUndefined();
  });

  it("is written anew when the hub says what the branch is", async () => {
    await writeFile(join(folder, "refs", "main"), "../../../outside");
    await new HubCache(directory).rememberCommit(id, "main", COMMIT);
    expect(await readFile(join(folder, "refs", "main"), "utf8")).toBe(COMMIT);
  });
});

// huggingface_hub 2.4.0 (utils/_shared_blobs.py): the blob of a repository is a link to one of the whole cache, which has a name of its own.
describe("a blob that the repositories of a cache share", () => {
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const load = () => fromHuggingFaceCache({ cacheDirectory: directory })({ id });

  beforeEach(async () => {
    await writeFile(join(folder, "refs", "main"), COMMIT);
    const shared = "ab".padEnd(64, "0");
    await mkdir(join(directory, "blobs", "ab"), { recursive: true });
    await writeFile(join(directory, "blobs", "ab", shared), TOKENIZER);
    await symlink(join("..", "..", "blobs", "ab", shared), join(folder, "blobs", sha256(TOKENIZER)));
    const file = join(folder, "snapshots", COMMIT, "tokenizer.json");
    await symlink(join("..", "..", "blobs", sha256(TOKENIZER)), file);
  });

  it("is read, and known by the hash that the repository has for it", async () => {
    expect((await load())?.tokenId("secret")).toBe(0);
    expect(await new HubCache(directory).hasBlob(id, sha256(TOKENIZER))).toBe(true);
  });

  it("is damaged where it is not of that hash", async () => {
    await writeFile(join(directory, "blobs", "ab", "ab".padEnd(64, "0")), TOKENIZER.slice(0, -1));
    await expect(load()).rejects.toThrow(/tokenizer\.json is damaged/);
  });
});

describe("a link that leads out of the cache", () => {
  beforeEach(() => writeFile(join(folder, "refs", "main"), COMMIT));
  const load = () => fromHuggingFaceCache({ cacheDirectory: directory })({ id });

  it.each([
    ["a file", join("snapshots", COMMIT, "tokenizer.json"), "tokenizer.json"],
    ["a commit", join("snapshots", COMMIT), ""],
    ["the folder of a repository", "", ""],
  ])("is refused by its path and not read: %s", async (_name, at, to) => {
    await rm(join(folder, at), { recursive: true, force: true });
    if (at === "") {
      await mkdir(join(outside, "refs"));
      await writeFile(join(outside, "refs", "main"), COMMIT);
    }
    await symlink(join(outside, to), join(folder, at).replace(/\/$/, ""));
    await expect(load()).rejects.toThrow(ValidationError);
    await expect(load()).rejects.toThrow(/models--org--model.* must lie in the cache .*HF_HUB_CACHE/);
  });

  it.each(["blobs", "refs", "snapshots"])("is not written through: %s", async (name) => {
    await rm(join(folder, name), { recursive: true });
    await symlink(outside, join(folder, name));
    const cache = new HubCache(directory);
    const writes = {
      blobs: () => cache.addBlob(id, "etag", (path) => writeFile(path, "new")),
      refs: () => cache.rememberCommit(id, "v2", COMMIT),
      snapshots: () => cache.link(id, COMMIT.replace("0", "1"), "tokenizer.json", "etag"),
    };
    for (const [kind, write] of Object.entries(writes)) {
      if (kind === name) await expect(write()).rejects.toThrow(/must lie in the cache/);
    }
    expect(await readdir(outside)).toEqual(["tokenizer.json"]);
  });

  it("is not written through where locks are", async () => {
    await symlink(outside, join(directory, ".locks"));
    await expect(new HubCache(directory).lockPath(id, "etag")).rejects.toThrow(/must lie in the cache/);
  });
});

describe("what may be linked", () => {
  it("is the cache itself, and what lies in it", async () => {
    await writeFile(join(folder, "blobs", "etag"), TOKENIZER);
    await writeFile(join(folder, "refs", "main"), COMMIT);
    await new HubCache(directory).link(id, COMMIT, "tokenizer.json", "etag");
    const elsewhere = join(parent, "a link to the cache");
    await symlink(directory, elsewhere);
    for (const cacheDirectory of [directory, elsewhere, join(parent, "outside", "..", "hub")]) {
      expect((await fromHuggingFaceCache({ cacheDirectory })({ id }))?.tokenId("secret")).toBe(0);
    }
  });

  it("has the modes that Python gives, as other users may share the cache", async () => {
    const cache = new HubCache(directory);
    await cache.addBlob("org/new", "etag", (path) => writeFile(path, "new"));
    const mode = async (...parts: string[]) =>
      (await stat(join(directory, "models--org--new", ...parts))).mode & 0o777;
    const mask = process.umask();
    expect(await mode("blobs")).toBe(0o777 & ~mask);
    expect(await mode("blobs", "etag")).toBe(0o666 & ~mask);
  });
});

describe("what a killed download left", () => {
  const HOUR_MS = 3_600_000;
  const add = (etag = "etag") => new HubCache(directory).addBlob(id, etag, (path) => writeFile(path, "new"));

  /** Makes a folder as a download has one, last written to so long ago. */
  async function leave(name: string, file: string, ageMs: number): Promise<string> {
    const left = join(folder, name);
    await mkdir(left);
    await writeFile(join(left, file), "half");
    const date = new Date(Date.now() - ageMs);
    await utimes(join(left, file), date, date);
    await utimes(left, date, date);
    return left;
  }
  const names = async () => (await readdir(folder)).filter((name) => !/^(refs|snapshots|blobs)$/.test(name));

  it.each([
    ["of the same file", "etag"],
    ["of another file", "other"],
  ])("is removed by the next download: %s", async (_name, file) => {
    await leave(".tinkex-a1B2c3", file, 3 * HOUR_MS);
    await leave(".tinkex-ZZZZZZ", file, 300 * HOUR_MS);
    await add();
    expect(await names()).toEqual([]);
    expect(await readFile(join(folder, "blobs", "etag"), "utf8")).toBe("new");
  });

  it("stays while it may still grow: a byte within two hours is a sign of life", async () => {
    await leave(".tinkex-young1", "etag", HOUR_MS);
    const growing = await leave(".tinkex-growth", "etag", 3 * HOUR_MS);
    await utimes(join(growing, "etag"), new Date(), new Date());
    await add();
    expect((await names()).sort()).toEqual([".tinkex-growth", ".tinkex-young1"]);
  });

  it("is told from what others left: names that are not ours, files, and links with all they lead to", async () => {
    const old = new Date(Date.now() - 100 * HOUR_MS);
    await leave("tmp-a1B2c3", "etag", 100 * HOUR_MS);
    await leave(".tinkex-a1B2c3.keep", "etag", 100 * HOUR_MS);
    await writeFile(join(folder, ".tinkex-afile1"), "");
    await utimes(join(folder, ".tinkex-afile1"), old, old);
    await symlink(outside, join(folder, ".tinkex-alink1"));
    await utimes(outside, old, old);
    await utimes(join(outside, "tokenizer.json"), old, old);
    await add();
    expect((await names()).sort()).toEqual([
      ".tinkex-a1B2c3.keep",
      ".tinkex-afile1",
      ".tinkex-alink1",
      "tmp-a1B2c3",
    ]);
    expect(await readFile(join(outside, "tokenizer.json"), "utf8")).toBe(TOKENIZER);
  });
});
