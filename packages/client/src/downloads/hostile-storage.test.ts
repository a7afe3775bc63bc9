import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { TinkexError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import {
  answer,
  cutShort,
  file,
  fileCutEvery,
  HostileServer,
  type Move,
  on,
  redirect,
  reset,
  type Script,
  seededRandom,
} from "@tinkex-tooling/hostile-server";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runScript } from "../testing/run-script.js";
import { tarArchive } from "../testing/tar-archive.js";
import { downloadCheckpoint } from "./download-checkpoint.js";
import type { DownloadedCheckpoint } from "./download-options.js";
import { ARCHIVE, type DownloadSource, type DownloadWork } from "./download-work.js";
import { maxArchiveBytes } from "./unpacked.js";

/** `TINKEX_DOWNLOADS=full` takes an archive of 50 MB, and kills at 20 moments in place of three. */
const isFull = process.env.TINKEX_DOWNLOADS === "full";
const BYTES = isFull ? 50_000_000 : 1_000_000;

const random = seededRandom(34);
const weights = Buffer.from(Uint8Array.from({ length: BYTES }, () => random() * 256));
const tar = tarArchive(
  { name: "adapter_config.json", content: "{}" },
  { name: "adapter_model.safetensors", content: weights },
);

let parent: string;
beforeEach(() => {
  parent = temporaryDirectory();
});
const directory = (): string => join(parent, "adapter");

async function play(...script: Script): Promise<HostileServer> {
  const storage = await HostileServer.play(...script);
  onTestFinished(() => storage[Symbol.asyncDispose]());
  return storage;
}

const LIMITS = { maxBytes: 100_000_000, maxFiles: 100, maxRatio: 100 };

/** Downloads what is at a storage, as an archive or as the one file of an export. */
function download(
  storage: HostileServer,
  kind: DownloadSource["kind"] = "archive",
): Promise<DownloadedCheckpoint> {
  const work: DownloadWork = {
    method: "downloadCheckpoint",
    tinkerPath: "tinker://run/weights/a",
    directory: directory(),
    limits: LIMITS,
    isFlushed: true,
    onProgress: undefined,
    signal: AbortSignal.timeout(60_000),
    clock: new FakeClock({ autoAdvance: true, startMs: 1_800_000_000_000 }),
    proxy: {},
  };
  const name = kind === "archive" ? ARCHIVE : "adapter_model.safetensors";
  const signed = { urls: { [name]: `${storage.url}/${name}` }, expiresAt: new Date("2099-01-01") };
  return downloadCheckpoint(work, async () => ({ kind, signed, sign: async () => signed }));
}

async function expectWhole(): Promise<void> {
  expect((await readFile(join(directory(), "adapter_model.safetensors"))).equals(weights)).toBe(true);
  expect(await readdir(parent)).toEqual(["adapter"]);
}

describe("a storage that breaks off at every 5 % of a checkpoint", () => {
  const stored = [
    ["archive", tar],
    ["archive", gzipSync(tar, { level: 1 })],
    ["files", weights],
  ] as const;
  it.each(isFull ? stored : stored.slice(1, 2))(
    "brings the right bytes in the end, and is asked for the rest alone: %s",
    async (kind, stored) => {
      const piece = Math.ceil(stored.length / 20);
      const storage = await play(fileCutEvery(piece, stored, '"v1"'));
      await download(storage, kind);
      await expectWhole();
      const begins = storage.requests.map(({ headers }) =>
        Number(/^bytes=(\d+)-$/.exec(headers.range ?? "bytes=0-")?.[1]),
      );
      expect(begins.length).toBeGreaterThanOrEqual(20);
      expect(begins[0]).toBe(0);
      expect(begins).toEqual([...begins].sort((a, b) => a - b));
      expect(new Set(begins).size).toBeGreaterThanOrEqual(20);
    },
  );
});

describe("a storage that is wrong", () => {
  const md5 = { "x-goog-hash": `md5=${createHash("md5").update("other").digest("base64")}` };
  const bomb = gzipSync(tarArchive({ name: "zeros", content: Buffer.alloc(50_000_000) }));
  const wrong: Readonly<Record<string, readonly Move[]>> = {
    "fewer bytes than its length says, again and again": [cutShort(tar.length, "abc", reset)],
    "fewer bytes than its length says, whole though they seem": [answer(200, tar.subarray(0, 600))],
    "a length that is too short": [answer(200, tar.subarray(0, -1_024))],
    "another checksum": [answer(200, tar, md5)],
    "a gzip bomb": [answer(200, bomb)],
    "a bomb in its encoding": [answer(200, gzipSync(tar), { "content-encoding": "gzip" })],
    "more bytes than there may be": [
      answer(200, "x", { "content-length": `${maxArchiveBytes(LIMITS) + 1}` }),
    ],
    "a page in place of the archive": [answer(200, "<html>sign in</html>")],
    "no such file": [answer(404, "NoSuchKey")],
    "redirects without end": [redirect(302, "/again")],
    "a redirect to a file": [redirect(302, "file:///etc/passwd")],
  };
  it.each(Object.entries(wrong))(
    "%s is an error with a name, and there is no directory",
    async (_, moves) => {
      const failure: unknown = await download(await play(...moves)).then(String, (error: unknown) => error);
      expect(TinkexError.isInstance(failure), String(failure)).toBe(true);
      await expect(stat(directory())).rejects.toThrow("ENOENT");
      const left = await readdir(parent, { recursive: true });
      expect(left.filter((name) => name.endsWith("adapter_config.json") || name.endsWith("zeros"))).toEqual(
        [],
      );
      await download(await play(on({}, answer(200, tar))));
      await expectWhole();
    },
  );
});

/** Program that downloads, and kills itself at a share of the bytes, or so many hundredths of a second after the last of them. */
function program(url: string, killAt: number): string {
  return `
    import { downloadCheckpoint } from ${JSON.stringify(new URL("./download-checkpoint.ts", import.meta.url).href)};
    const kill = () => process.kill(process.pid, "SIGKILL");
    const clock = { now: Date.now, monotonic: () => performance.now(), sleep: (ms) => new Promise((r) => setTimeout(r, ms)) };
    const names = ["adapter_config.json", "adapter_model.safetensors"];
    const isArchive = ${JSON.stringify(url)}.endsWith("archive");
    const urls = isArchive ? { ${JSON.stringify(ARCHIVE)}: ${JSON.stringify(url)} } :
      Object.fromEntries(names.map((name) => [name, ${JSON.stringify(url)} + "/" + name]));
    const signed = { urls, expiresAt: new Date("2099-01-01") };
    const onProgress = ({ fileIndex, fileCount, receivedBytes, totalBytes }) => {
      if (fileIndex !== fileCount - 1) return;
      if (${killAt} < 1 && receivedBytes >= ${killAt} * totalBytes) kill();
      if (receivedBytes === totalBytes) setTimeout(kill, (${killAt} - 1) * 100);
    };
    const work = {
      method: "downloadCheckpoint", tinkerPath: "tinker://run/weights/a", directory: ${JSON.stringify(directory())},
      limits: ${JSON.stringify(LIMITS)}, onProgress, signal: new AbortController().signal, clock, proxy: {},
    };
    await downloadCheckpoint(work, async () => ({ kind: isArchive ? "archive" : "files", signed, sign: async () => signed }));
    kill();
  `;
}

/** Sends no more of a file than up to the moment of the kill, so that the rest cannot arrive before it. */
function fileStoppedAt(moment: number, content: Uint8Array, etag: string): Move {
  if (moment >= 1) return file(content, etag);
  return file(content, etag, Math.max(1, Math.ceil(moment * content.byteLength)));
}

describe("a process that is killed", () => {
  const moments = isFull ? Array.from({ length: 20 }, (_, index) => index * 0.06) : [0.5, 1.02];
  const cases = moments.map((moment, index) => [moment, index % 2 === 0 ? "files" : "archive"] as const);
  it.each(cases)(
    "at %d of its download leaves what the same call goes on with: %s",
    async (moment, kind) => {
      const storage = await play(
        on({ path: "/adapter_config.json" }, file(Buffer.from("{}"), '"c"')),
        on({ path: "/adapter_model.safetensors" }, fileStoppedAt(moment, weights, '"w"')),
        on({}, fileStoppedAt(moment, tar, '"t"')),
      );
      const url = kind === "archive" ? `${storage.url}/archive` : storage.url;
      await runScript(program(url, moment));
      const before = storage.requests.length;
      const names = kind === "archive" ? [ARCHIVE] : ["adapter_config.json", "adapter_model.safetensors"];
      const signed = {
        urls: Object.fromEntries(names.map((name) => [name, kind === "archive" ? url : `${url}/${name}`])),
        expiresAt: new Date("2099-01-01"),
      };
      const done = await downloadCheckpoint(
        {
          method: "downloadCheckpoint",
          tinkerPath: "tinker://run/weights/a",
          directory: directory(),
          limits: LIMITS,
          isFlushed: true,
          onProgress: undefined,
          signal: AbortSignal.timeout(60_000),
          clock: new FakeClock({ autoAdvance: true, startMs: 1_800_000_000_000 }),
          proxy: {},
        },
        async () => ({ kind, signed, sign: async () => signed }),
      );
      expect(done.isPeftAdapter).toBe(true);
      await expectWhole();
      const again = storage.requests.slice(before);
      expect(again.length).toBeLessThanOrEqual(1);
      // Only what is missing is fetched, also of a file that was begun.
      for (const { headers } of again) expect(headers.range).toMatch(/^bytes=[1-9]/);
      expect(again).toHaveLength(moment < 1 ? 1 : 0);
    },
    60_000,
  );
});
