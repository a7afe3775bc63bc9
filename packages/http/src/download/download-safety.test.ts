import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { FakeClock } from "@tinkex/base/testing";
import {
  answer,
  cutShort,
  file,
  type HostileServer,
  hangUp,
  inTurn,
  type Move,
  on,
  raw,
  redirect,
  stall,
} from "@tinkex-tooling/hostile-server";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { eventually, failureOf, play } from "../testing/test-transport.js";
import { type DownloadOptions, type DownloadProgress, downloadFile } from "./download-file.js";

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
});

const target = (): string => join(folder, "file.bin");

function download(server: HostileServer, options: Partial<DownloadOptions> = {}): Promise<number> {
  const url = (): string => `${server.url}/file`;
  return downloadFile({
    url,
    target: target(),
    clock: new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) }),
    random: () => 0,
    ...options,
  });
}

const md5Of = (content: string): Record<string, string> => ({
  "x-goog-hash": `md5=${createHash("md5").update(content).digest("base64")}`,
});

describe("a download's place on the disk", () => {
  it.each([
    ["file.bin.partial", answer(200, "new content"), "new content"],
    ["file.bin.partial", answer(404, "no such file"), undefined],
  ])("a link that stands at %s is neither followed nor taken away", async (name, move, arrived) => {
    const precious = join(folder, "precious");
    await writeFile(precious, "precious");
    await symlink(precious, join(folder, name));
    const server = await play(move);
    if (arrived === undefined) await failureOf(download(server));
    else await download(server);
    expect(await readFile(precious, "utf8")).toBe("precious");
    expect((await lstat(join(folder, name))).isSymbolicLink()).toBe(true);
    if (arrived === undefined) return expect(await readdir(folder)).not.toContain("file.bin");
    expect((await lstat(target())).isFile()).toBe(true);
    expect(await readFile(target(), "utf8")).toBe(arrived);
  });

  it("a target that is a link is replaced by the file, and what it led to stays", async () => {
    const precious = join(folder, "precious");
    await writeFile(precious, "precious");
    await symlink(precious, target());
    await download(await play(answer(200, "new content")));
    expect(await readFile(precious, "utf8")).toBe("precious");
    expect((await lstat(target())).isFile()).toBe(true);
    expect(await readFile(target(), "utf8")).toBe("new content");
  });

  it("a file of somebody else's beside the target, of whatever name, is left alone by success and failure", async () => {
    await writeFile(join(folder, "file.bin.partial"), "of another program");
    await writeFile(target(), "the old file");
    await failureOf(download(await play(answer(404))));
    expect(await readFile(target(), "utf8")).toBe("the old file");
    await download(await play(answer(200, "new content")));
    expect(await readFile(join(folder, "file.bin.partial"), "utf8")).toBe("of another program");
    expect((await readdir(folder)).sort()).toEqual(["file.bin", "file.bin.partial"]);
  });

  it("is its owner's alone while it grows and afterwards, whatever the umask is", async () => {
    await chmod(folder, 0o755);
    const before = process.umask(0);
    try {
      const server = await play(cutShort(100, "abc", stall));
      const controller = new AbortController();
      const downloading = failureOf(download(server, { signal: controller.signal }));
      await eventually(() => server.requests.length).toBe(1);
      const [growing = "none"] = await readdir(folder);
      expect((await stat(join(folder, growing))).mode & 0o777).toBe(0o600);
      controller.abort();
      await downloading;
      await download(await play(answer(200, "new content")));
      expect((await stat(target())).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  it("a target whose name is as long as a name can be is written too", async () => {
    const long = join(folder, "é".repeat(127));
    await download(await play(answer(200, "new content")), { target: long });
    expect(await readFile(long, "utf8")).toBe("new content");
  });
});

describe("two downloads to one target", () => {
  /** A download that stands still at its half, and its rest. */
  async function halfDone(content: string): Promise<{ readonly finish: () => Promise<number> }> {
    const server = await play(file(Buffer.from(content), '"v1"', content.length / 2));
    let isHalf = false;
    const done = download(server, { onProgress: () => (isHalf = true) });
    await eventually(() => isHalf).toBe(true);
    return {
      finish: async () => {
        await server.breakConnections();
        return done;
      },
    };
  }

  it("do not mix: the file is that of whoever was done last, whole", async () => {
    const first = await halfDone("A".repeat(3_000));
    const second = await halfDone("B".repeat(2_000));
    expect(await first.finish()).toBe(3_000);
    expect(await readFile(target(), "utf8")).toBe("A".repeat(3_000));
    expect(await second.finish()).toBe(2_000);
    expect(await readFile(target(), "utf8")).toBe("B".repeat(2_000));
    expect(await readdir(folder)).toEqual(["file.bin"]);
  });

  it("the failure of one takes nothing from the other", async () => {
    const good = await halfDone("A".repeat(3_000));
    await failureOf(download(await play(answer(404, "no such file"))));
    expect(await good.finish()).toBe(3_000);
    expect(await readFile(target(), "utf8")).toBe("A".repeat(3_000));
    expect(await readdir(folder)).toEqual(["file.bin"]);
  });

  it("ten at once leave one whole file and nothing beside it", async () => {
    const contents = Array.from({ length: 10 }, (_, i) => String(i).repeat(2_000 + i));
    await Promise.all(
      contents.map(async (content) => {
        const server = await play(answer(200, content, md5Of(content)));
        expect(await download(server)).toBe(content.length);
      }),
    );
    expect(contents).toContain(await readFile(target(), "utf8"));
    expect(await readdir(folder)).toEqual(["file.bin"]);
  });
});

describe("the parts of a download", () => {
  /** Half of a file of ten bytes, and no more. */
  const half = (headers: Record<string, string>): Move => ({
    do: "cut",
    byteLength: Number.POSITIVE_INFINITY,
    of: answer(200, "AAAAA", { "content-length": "10", ...headers }),
    next: stall,
  });
  const part = (body: string, range: string, headers: Record<string, string>): Move =>
    answer(206, body, { "content-range": `bytes ${range}`, ...headers });

  /** Breaks the connection once half of the file has been written. */
  async function inParts(
    first: Record<string, string>,
    ...rest: readonly Move[]
  ): Promise<{ server: HostileServer; done: Promise<number> }> {
    const server = await play(half(first), ...rest);
    const onProgress = ({ receivedBytes }: DownloadProgress): void => {
      if (receivedBytes === 5) void server.breakConnections();
    };
    return { server, done: download(server, { onProgress }) };
  }

  it("of one version, with one total, make the file", async () => {
    const { server, done } = await inParts({ etag: '"v1"' }, part("wrong", "5-9/10", { etag: '"v1"' }));
    expect(await done).toBe(10);
    expect(await readFile(target(), "utf8")).toBe("AAAAAwrong");
    expect(server.header("range")).toEqual([undefined, "bytes=5-"]);
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ["another etag", { etag: '"v1"' }, { etag: '"v2"' }],
    ["an etag that is weak now", { etag: '"v1"' }, { etag: 'W/"v1"' }],
    ["no etag where the first answer had one", { etag: '"v1"' }, {}],
    [
      "another date",
      { "last-modified": "Sat, 28 Nov 2026 10:00:00 GMT" },
      { "last-modified": "Sat, 28 Nov 2026 11:00:00 GMT" },
    ],
    [
      "another weak etag beside the same date",
      { etag: 'W/"v1"', "last-modified": "Sat, 28 Nov 2026 10:00:00 GMT" },
      { etag: 'W/"v2"', "last-modified": "Sat, 28 Nov 2026 10:00:00 GMT" },
    ],
  ])("a part with %s is not appended: all of it is fetched anew", async (_, first, headers) => {
    const { server, done } = await inParts(
      first,
      part("wrong", "5-9/10", headers),
      answer(200, "BBBBBBBBBB"),
    );
    expect(await done).toBe(10);
    expect(await readFile(target(), "utf8")).toBe("BBBBBBBBBB");
    expect(server.header("range")).toEqual([undefined, "bytes=5-", undefined]);
  });

  it("a part of a file whose length nobody tells may not be its last: all of it is fetched anew", async () => {
    const chunked = inTurn(
      raw('HTTP/1.1 200 OK\r\netag: "v1"\r\ntransfer-encoding: chunked\r\n\r\n5\r\nAAAAA\r\n'),
      stall,
    );
    const server = await play(chunked, part("XX", "5-6/*", { etag: '"v1"' }), answer(200, "BBBBBBBBBB"));
    const onProgress = ({ receivedBytes }: DownloadProgress): void => {
      if (receivedBytes === 5) void server.breakConnections();
    };
    expect(await download(server, { onProgress })).toBe(10);
    expect(await readFile(target(), "utf8")).toBe("BBBBBBBBBB");
    expect(server.header("range")).toEqual([undefined, "bytes=5-", undefined]);
  });

  it("a part that comes packed is refused", async () => {
    const packed = part("wrong", "5-9/10", { etag: '"v1"', "content-encoding": "gzip" });
    const error = await failureOf((await inParts({ etag: '"v1"' }, packed)).done);
    expect(error).toMatchObject({ code: "response_invalid", message: expect.stringContaining("packed") });
    expect(await readdir(folder)).toEqual([]);
  });

  it("a part that does not name its version is taken where the MD5 of the whole will tell", async () => {
    const { done } = await inParts({ etag: '"v1"', ...md5Of("AAAAAwrong") }, part("wrong", "5-9/10", {}));
    expect(await done).toBe(10);
    expect(await readFile(target(), "utf8")).toBe("AAAAAwrong");
  });

  it("a server that sends parts of other versions for ever ends as an error, and leaves nothing", async () => {
    const other = part("wrong", "5-9/10", { etag: '"v2"' });
    const again = half({ etag: '"v1"' });
    const { server, done } = await inParts({ etag: '"v1"' }, other, ...Array(20).fill([again, other]).flat());
    expect(await failureOf(done)).toMatchObject({ code: "connection_failed" });
    expect(server.requests.length).toBeLessThan(20);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ["a total that is shorter than promised", "", "5-4/5"],
    ["a total that is shorter than promised, and nothing else odd", "X", "5-5/6"],
    ["a total that is longer than promised", "wrong", "5-9/12"],
    ["bytes beyond the total", "wrongXX", "5-11/10"],
    ["bytes before those asked for", "wrongX", "4-9/10"],
    ["bytes after those asked for", "XXXX", "6-9/10"],
    ["an end before its beginning", "X", "5-3/10"],
    ["a total that no number holds", "wrong", `5-9/${"9".repeat(400)}`],
    ["no range that can be read", "wrong", "canary \u00e9"],
  ])("a part with %s is refused, and the file does not appear", async (_, body, range) => {
    const { done } = await inParts({ etag: '"v1"' }, part(body, range, { etag: '"v1"' }));
    const error = await failureOf(done);
    expect(error).toMatchObject({ code: "response_invalid" });
    expect(error.message).not.toContain("canary");
    expect(await readdir(folder)).toEqual([]);
  });

  it("a part that brings more than its range says is refused as the first byte too many comes", async () => {
    const endless = inTurn(
      raw(
        'HTTP/1.1 206 Partial Content\r\netag: "v1"\r\ncontent-range: bytes 5-9/10\r\nconnection: close\r\n\r\n',
      ),
      raw("X".repeat(200_000)),
      stall,
    );
    const { done } = await inParts({ etag: '"v1"' }, endless);
    expect(await failureOf(done)).toMatchObject({ code: "response_invalid" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("a part that brings less than is missing is taken, and the rest asked for", async () => {
    const { server, done } = await inParts(
      { etag: '"v1"' },
      part("XX", "5-6/10", { etag: '"v1"' }),
      part("YYY", "7-9/10", { etag: '"v1"' }),
    );
    expect(await done).toBe(10);
    expect(await readFile(target(), "utf8")).toBe("AAAAAXXYYY");
    expect(server.header("range")).toEqual([undefined, "bytes=5-", "bytes=7-"]);
  });

  it("the whole in answer to a range begins the file anew, with its own length", async () => {
    const { done } = await inParts({ etag: '"v1"' }, answer(200, "short", { etag: '"v2"' }));
    expect(await done).toBe(5);
    expect(await readFile(target(), "utf8")).toBe("short");
  });

  it("a part that nobody asked for is refused", async () => {
    const server = await play(part("wrong", "5-9/10", { etag: '"v1"' }));
    await failureOf(download(server));
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("maxBytes", () => {
  it.each<[string, Move]>([
    ["an announced length", file(Buffer.from("A".repeat(1_000)), '"v1"')],
    [
      "a body without end",
      inTurn(raw("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"), raw("A".repeat(200_000)), stall),
    ],
    ["a body cut at the limit", cutShort(1_000, "A".repeat(200), hangUp)],
  ])("ends a download by %s, and nothing is left", async (_, move) => {
    const error = await failureOf(download(await play(move), { maxBytes: 100 }));
    expect(error).toMatchObject({ code: "response_invalid", message: expect.stringContaining("maxBytes") });
    expect(await readdir(folder)).toEqual([]);
  });

  it("lets as many bytes come, and refuses to be no number", async () => {
    expect(await download(await play(answer(200, "A".repeat(100))), { maxBytes: 100 })).toBe(100);
    const server = await play(answer(200, "A"));
    for (const maxBytes of [0, -1, Number.NaN]) {
      expect(await failureOf(download(server, { maxBytes }))).toMatchObject({ code: "validation_failed" });
    }
    expect(server.requests).toEqual([]);
  });
});

describe("the addresses of a download", () => {
  const SIGNATURE = "canary/SIG+NATURE=2";
  const encoded = encodeURIComponent(SIGNATURE);

  async function refusedBy(location: string, body: string): Promise<unknown> {
    const server = await play(on({ path: "/file" }, redirect(302, location)), answer(400, body));
    return failureOf(download(server));
  }

  it.each([
    ["decoded", `SignatureDoesNotMatch ${SIGNATURE}`],
    ["as it was sent", `SignatureDoesNotMatch ${encoded}`],
    [
      "in the encoding's other case",
      `SignatureDoesNotMatch ${encoded.replace(/%../g, (code) => code.toLowerCase())}`,
    ],
    ["within the address", `no key for /stored?X-Amz-Signature=${encoded}&other=1`],
    ["with JSON's escapes", `{"detail":"\\u0063anary\\/SIG\\u002bNATURE=2"}`],
    ["in base64", `no match for ${Buffer.from(SIGNATURE).toString("base64")}`],
    ["as JSON", JSON.stringify({ detail: [SIGNATURE, { [SIGNATURE]: encoded }] })],
  ])("the signature of a redirect is not told where the store quotes it %s", async (_, body) => {
    const error = await refusedBy(`/stored?X-Amz-Signature=${encoded}`, body);
    expect(error).toMatchObject({ code: "bad_request" });
    const shown = inspect(error, { depth: 10, showHidden: true });
    expect(shown).not.toMatch(/canary|anary\\/i);
    expect(shown).not.toContain(Buffer.from(SIGNATURE).toString("base64").slice(0, 12));
  });

  it("nor the password of one, nor the signature of the second of two", async () => {
    const withPassword = await play(answer(400, "who is canary-user with canary-password?"));
    const at = new URL(withPassword.url);
    const first = await play(redirect(302, `http://canary-user:canary-password@${at.host}/x`));
    expect(inspect(await failureOf(download(first)), { depth: 10 })).not.toContain("canary");

    const chain = await play(
      on({ path: "/file" }, redirect(302, "/two?sig=canary-two")),
      on({ path: "/two" }, redirect(307, "/three?sig=canary-three")),
      answer(404, "canary-two canary-three"),
    );
    const error = await failureOf(download(chain));
    expect(error.message).toContain("[redacted] [redacted]");
    expect(inspect(error, { depth: 10 })).not.toContain("canary");
  });

  it("nor that of an address that was renewed", async () => {
    const server = await play(answer(403), answer(400, "canary-1 and canary-2"));
    let asked = 0;
    const error = await failureOf(
      download(server, { url: () => `${server.url}/file?signature=canary-${++asked}` }),
    );
    expect(error.message).toContain("[redacted] and [redacted]");
    expect(inspect(error, { depth: 10 })).not.toContain("canary");
  });

  it("nor one that stands where a redirect's protocol would", async () => {
    const server = await play(redirect(302, "canarysignature:"));
    const url = (): string => `${server.url}/file?signature=CanarySignature`;
    const error = await failureOf(download(server, { url }));
    expect(error).toMatchObject({
      code: "response_invalid",
      message: expect.stringContaining("to [redacted]:"),
    });
    expect(inspect(error, { depth: 10 })).not.toContain("canary");
  });
});

describe("what stands in the way of a download", () => {
  it("a folder that does not exist is told before anything is sent", async () => {
    const server = await play(answer(200, "new content"));
    await expect(download(server, { target: join(folder, "none", "file.bin") })).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect(server.requests).toEqual([]);
  });

  it("a folder at the target stays as it is, with all that is in it", async () => {
    await mkdir(target());
    await writeFile(join(target(), "kept"), "kept");
    await expect(download(await play(answer(200, "new content")))).rejects.toThrow();
    expect(await readFile(join(target(), "kept"), "utf8")).toBe("kept");
    expect(await readdir(folder)).toEqual(["file.bin"]);
  });
});
