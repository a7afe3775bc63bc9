import { createHash } from "node:crypto";
import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeClock } from "@tinkex/base/testing";
import { answer, file, type HostileServer, type Move, on, raw, stall } from "@tinkex-tooling/hostile-server";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { failureOf, play } from "../testing/test-transport.js";
import { type DownloadOptions, downloadFile } from "./download-file.js";

const content = Buffer.from("0123456789".repeat(1_000));
const half = content.length / 2;
const etag = '"v1"';
let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
});

const target = (): string => join(folder, "file.bin");
const partial = (): string => join(folder, "growing");

function download(server: HostileServer, options: Partial<DownloadOptions> = {}): Promise<number> {
  const clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
  const url = (): string => `${server.url}/file`;
  return downloadFile({ url, target: target(), partial: partial(), clock, random: () => 0, ...options });
}

/** Leaves half of the file behind, as an abort does. */
async function leaveHalf(move: Move = file(content, etag, half)): Promise<void> {
  const server = await play(move);
  const controller = new AbortController();
  const failure = await failureOf(
    download(server, {
      signal: controller.signal,
      onProgress: ({ receivedBytes }) => receivedBytes === half && controller.abort(),
    }),
  );
  expect(failure.code).toBe("aborted");
  expect((await stat(partial())).size).toBe(half);
}

const withMd5 = (text: Uint8Array): Record<string, string> => ({
  etag,
  "x-goog-hash": `md5=${createHash("md5").update(text).digest("base64")}`,
});

describe("a download that is kept", () => {
  it("goes on where the last call ended, and leaves nothing beside the file", async () => {
    await leaveHalf();
    expect((await readdir(folder)).sort()).toEqual(["growing", "growing.json"]);
    expect((await stat(partial())).mode & 0o777).toBe(0o600);
    const server = await play(file(content, etag));
    expect(await download(server)).toBe(content.length);
    expect(server.requests[0]?.headers).toMatchObject({ range: `bytes=${half}-`, "if-range": etag });
    expect(await readFile(target())).toEqual(content);
    expect(await readdir(folder)).toEqual(["file.bin"]);
  });

  it("begins anew where the file is another one by now", async () => {
    await leaveHalf();
    const other = Buffer.from("another file");
    expect(await download(await play(file(other, '"v2"')))).toBe(other.length);
    expect(await readFile(target())).toEqual(other);
  });

  it("asks for nothing when all of it had come", async () => {
    await leaveHalf();
    await writeFile(partial(), content);
    const server = await play(answer(500));
    expect(await download(server)).toBe(content.length);
    expect(server.requests).toEqual([]);
    expect(await readFile(target())).toEqual(content);
  });

  it.each([
    "no record",
    "a record that is cut off",
    "a record of another kind",
    "a record of a header that cannot be sent",
    "more bytes than the file has",
  ])("begins anew with %s", async (what) => {
    await leaveHalf();
    const record = `${partial()}.json`;
    if (what === "no record") await rm(record);
    else if (what === "a record that is cut off") await writeFile(record, '{"totalBytes":10');
    else if (what === "a record of another kind") await writeFile(record, "null");
    else if (what.includes("header")) await writeFile(record, JSON.stringify({ etag: '"v1"\r\n' }));
    else await writeFile(partial(), Buffer.concat([content, content]));
    const server = await play(file(content, etag));
    expect(await download(server)).toBe(content.length);
    expect(server.requests[0]?.headers.range).toBeUndefined();
    expect(await readFile(target())).toEqual(content);
  });

  it("checks the MD5 of what two calls have brought together, and keeps nothing that is wrong", async () => {
    await leaveHalf(inHalves(withMd5(content), stall));
    await writeFile(partial(), Buffer.alloc(half, "x"));
    const failure = await failureOf(download(await play(file(content, etag))));
    expect(failure.message).toContain("its MD5 differs");
    expect(await readdir(folder)).toEqual([]);
    await leaveHalf(inHalves(withMd5(content), stall));
    expect(await download(await play(file(content, etag)))).toBe(content.length);
    expect(await readFile(target())).toEqual(content);
  });

  it("follows no link that stands where it grows", async () => {
    const precious = join(folder, "precious");
    await writeFile(precious, "precious");
    await symlink(precious, partial());
    await expect(download(await play(file(content, etag)))).rejects.toThrow(/ELOOP|symbolic/i);
    expect(await readFile(precious, "utf8")).toBe("precious");
  });
});

/** Promises the whole and brings half of it. */
function inHalves(headers: Record<string, string>, next: Move): Move {
  const body = content.subarray(0, half);
  const of = answer(200, body, { ...headers, "content-length": String(content.length) });
  return { do: "cut", byteLength: Number.POSITIVE_INFINITY, of, next };
}

// versity/versitygw#2398, jeroen/curl#179: stores that give back words which are no encoding, of a file that is not packed.
it.each(["aws-chunked", "UTF-8", "identity, none"])(
  "a file with the encoding %s is one as it is",
  async (encoding) => {
    const server = await play(on({ path: "/file" }, answer(200, content, { "content-encoding": encoding })));
    await download(server, { partial: undefined });
    expect(await readFile(join(folder, "file.bin"))).toEqual(content);
  },
);

it.each(["gzip", "br, gzip", "GZIP", "aws-chunked, gzip"])(
  "a file that comes packed as %s is refused",
  async (encoding) => {
    const server = await play(on({ path: "/file" }, answer(200, content, { "content-encoding": encoding })));
    const failure = await failureOf(download(server, { partial: undefined }));
    expect(failure.message).toContain("packed");
    expect(await readdir(folder)).toEqual([]);
  },
);

it("a file that comes packed on its way alone is refused", async () => {
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n";
  const server = await play(on({ path: "/file" }, raw(`${head}5\r\nwrong\r\n0\r\n\r\n`)));
  const failure = await failureOf(download(server, { partial: undefined }));
  expect(failure.message).toContain("packed (transfer-encoding)");
  expect(await readdir(folder)).toEqual([]);
});
