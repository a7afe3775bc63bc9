import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { ValidationError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import {
  answer,
  cutShort,
  file,
  type HostileServer,
  hangUp,
  raw,
  redirect,
  stall,
} from "@tinkex-tooling/hostile-server";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { eventually, failureOf, play, startServer } from "../testing/test-transport.js";
import { tunnelTo } from "../testing/tunnel.js";
import { type DownloadOptions, type DownloadProgress, downloadFile } from "./download-file.js";

const content = Buffer.from("0123456789".repeat(1_000));
const etag = '"v1"';
let folder: string;
let clock: FakeClock;

beforeEach(() => {
  clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
  folder = temporaryDirectory();
});

const target = (): string => join(folder, "file.bin");

function download(server: HostileServer, options: Partial<DownloadOptions> = {}): Promise<number> {
  const url = (): string => `${server.url}/file?signature=canary`;
  return downloadFile({ url, target: target(), clock, random: () => 0, ...options });
}

/** Sends half of the file at first, and what is asked for from then on. */
const halves = file(content, etag, content.length / 2);

/** Breaks the connections off once half of the file has come. */
function breakAtHalf(server: HostileServer): Partial<DownloadOptions> {
  return {
    onProgress: ({ receivedBytes }) => {
      if (receivedBytes !== content.length / 2) return;
      void server.breakConnections();
    },
  };
}

describe("downloadFile", () => {
  it("fetches a file without any header of ours, and tells how far it is", async () => {
    const server = await play(
      answer(200, content, {
        "x-goog-hash": `crc32c=x, md5=${createHash("md5").update(content).digest("base64")}`,
      }),
    );
    const seen: DownloadProgress[] = [];
    expect(await download(server, { onProgress: (progress) => seen.push(progress) })).toBe(content.length);
    expect(await readFile(target())).toEqual(content);
    expect(seen.at(-1)).toEqual({ receivedBytes: content.length, totalBytes: content.length });
    expect(await readdir(folder)).toEqual(["file.bin"]);
    expect(Object.keys(server.requests[0]?.headers ?? {}).filter((name) => name.startsWith("x-"))).toEqual(
      [],
    );
  });

  it("transport 90: takes up a broken connection where it broke", async () => {
    const server = await play(halves);
    await download(server, breakAtHalf(server));
    expect(await readFile(target())).toEqual(content);
    expect(server.header("range")).toEqual([undefined, `bytes=${content.length / 2}-`]);
    expect(server.header("if-range")).toEqual([undefined, etag]);
  });

  it.each([
    ["the file", "0123456789"],
    ["another file", "01234 6789"],
  ])(
    "transport 90: the checksum of the first answer holds for what was taken up later (%s)",
    async (_, stored) => {
      const md5 = createHash("md5").update(stored).digest("base64");
      const first = raw(
        `HTTP/1.1 200 OK\r\ncontent-length: 10\r\netag: "v1"\r\nx-goog-hash: md5=${md5}\r\n\r\n01234`,
      );
      const rest = answer(206, Buffer.from("56789"), { etag, "content-range": "bytes 5-9/10" });
      const server = await play(first, rest);
      const downloading = download(server, {
        onProgress: ({ receivedBytes }) => {
          if (receivedBytes === 5) void server.breakConnections();
        },
      });
      if (stored === "0123456789") {
        expect(await downloading).toBe(10);
        expect(await readFile(target(), "utf8")).toBe(stored);
      } else {
        expect(await failureOf(downloading)).toMatchObject({ code: "response_invalid" });
        expect(await readdir(folder)).toEqual([]);
      }
      expect(server.header("range")).toEqual([undefined, "bytes=5-"]);
    },
  );

  it("starts anew when the file has changed meanwhile", async () => {
    const changed = Buffer.from("quite another file");
    const server = await play(halves, answer(200, changed));
    await download(server, breakAtHalf(server));
    expect(await readFile(target())).toEqual(changed);
  });

  it("transport 90: asks for a new address when the old one has expired", async () => {
    const server = await play(answer(403), answer(200, content));
    let asked = 0;
    await download(server, { url: () => `${server.url}/file?signature=${++asked}` });
    expect(server.requests.map(({ path }) => path)).toEqual(["/file?signature=1", "/file?signature=2"]);
  });

  it("transport 90: a body that stays short is an error, and nothing is left behind", async () => {
    const server = await play(cutShort(100, "abc", hangUp));
    const error = await failureOf(download(server));
    expect(error.code).toBe("connection_failed");
    expect(server.requests.length).toBeGreaterThanOrEqual(6);
    expect(await readdir(folder)).toEqual([]);
  });

  it("what is not the stored file is refused", async () => {
    const server = await play(answer(200, content, { "x-goog-hash": "md5=AAAAAAAAAAAAAAAAAAAAAA==" }));
    expect(await failureOf(download(server))).toMatchObject({ code: "response_invalid" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("waits out errors that pass, and tells those that do not without the signature", async () => {
    const server = await play(answer(503), answer(404, "no such file"));
    const error = await failureOf(download(server));
    expect(error).toMatchObject({ code: "not_found", attempts: 2 });
    expect(error.message).not.toContain("canary");
    expect(clock.sleeps).toEqual([500]);
  });

  it("does not tell the signature that a store quotes when it refuses it", async () => {
    const quoted = "<Error><SignatureProvided>canary-signature</SignatureProvided></Error>";
    const server = await play(answer(400, quoted));
    const url = (): string => `${server.url}/file?X-Signature=canary-signature`;
    const error = await failureOf(download(server, { url }));
    expect(error.message).toContain("<SignatureProvided>[redacted]</SignatureProvided>");
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary-signature");
  });

  it.each([
    ["to what is no URL", "http://[", "to something that is not a URL"],
    ["to another protocol", "ftp://127.0.0.1/x", "to ftp:"],
    ["in a ring", "/again", "more than 5 times"],
  ])("transport 86: a redirect %s is an error at once", async (_, location, message) => {
    const server = await play(redirect(302, location));
    const error = await failureOf(download(server));
    expect(error).toMatchObject({ code: "response_invalid", message: expect.stringContaining(message) });
    expect(clock.sleeps).toEqual([]);
  });

  it("transport 86: a redirect from https to http is an error at once, and nobody is asked there", async () => {
    const open = await play(answer(200, content));
    const script = [redirect(302, `${open.url}/file?signature=canary`)];
    const sealed = await startServer({ script, tls: {} });
    const error = await failureOf(download(sealed, { ca: sealed.ca }));
    expect(error).toMatchObject({
      code: "response_invalid",
      message: expect.stringContaining("from https to http"),
    });
    expect(error.message).not.toContain("canary");
    expect([sealed.requests.length, open.requests.length]).toEqual([1, 0]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("what the watcher throws ends it, as it is", async () => {
    const server = await play(answer(200, content));
    const fault = new Error("the watcher's own fault");
    const onProgress = (): never => {
      throw fault;
    };
    await expect(download(server, { onProgress })).rejects.toBe(fault);
    expect(server.requests).toHaveLength(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it("what an async watcher throws ends it, as it is, also of the last bytes and while more are waited for", async () => {
    const fault = new Error("the watcher's own fault");
    const onProgress = async (): Promise<void> => {
      throw fault;
    };
    for (const script of [answer(200, content), file(content, '"v"', 100)]) {
      const server = await play(script);
      await expect(download(server, { onProgress })).rejects.toBe(fault);
      expect(server.requests).toHaveLength(1);
      expect(await readdir(folder)).toEqual([]);
    }
  });

  it("what the disk says ends it, and is not taken for the network's word", async () => {
    const server = await play(answer(200, content));
    // A folder comes to stand where the file should appear.
    const onProgress = (): void => void mkdirSync(target(), { recursive: true });
    await expect(download(server, { onProgress })).rejects.toMatchObject({ code: "EISDIR" });
    expect(server.requests).toHaveLength(1);
    expect(await readdir(folder)).toEqual(["file.bin"]);
  });

  it.each<[string, () => string, "growing"?]>([
    ["a folder", () => folder],
    ["a name that ends in a separator", () => `${folder}/new/`],
    ["no name", () => ""],
    ["a folder, with a path to grow at", () => folder, "growing"],
  ])("refuses %s as its target before anything is fetched", async (_, place, partial) => {
    const server = await play(answer(200, content));
    const more = partial === undefined ? {} : { partial: join(folder, partial) };
    const refused = download(server, { target: place(), ...more });
    await expect(refused).rejects.toBeInstanceOf(ValidationError);
    await expect(refused).rejects.toThrow(/^downloadFile: target must be the path of a file, got /);
    expect(server.requests).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("refuses a folder to grow at before anything is fetched", async () => {
    const server = await play(answer(200, content));
    await expect(download(server, { partial: folder })).rejects.toThrow(
      `downloadFile: partial must be the path of a file, got the folder ${folder}; add the name of a file`,
    );
    expect(server.requests).toEqual([]);
  });

  it("reads no more than the beginning of an error without end", async () => {
    const head = "HTTP/1.1 404 No\r\ncontent-length: 99999999\r\n\r\n";
    const server = await play(raw(head, "x".repeat(2 * 1024 * 1024)));
    expect(await failureOf(download(server))).toMatchObject({ code: "not_found" });
  });

  it("BR-031: goes through a proxy", async () => {
    const server = await play(answer(200, content));
    const proxy = await tunnelTo(Number(new URL(server.url).port));
    await download(server, { url: () => "http://behind-proxy.test/file", proxy: { httpProxy: proxy.at } });
    expect(await readFile(target())).toEqual(content);
    expect(proxy.heads[0]).toMatch(/^CONNECT behind-proxy\.test:80 /);
  });

  it("an abort and a silent server end it at once", async () => {
    const server = await play(cutShort(100, "abc", stall));
    const controller = new AbortController();
    const aborted = failureOf(download(server, { signal: controller.signal }));
    await eventually(() => server.requests.length).toBe(1);
    controller.abort("enough");
    expect(await aborted).toMatchObject({ code: "aborted", cause: "enough" });
    expect(await readdir(folder)).toEqual([]);
    expect(await failureOf(download(server, { silenceMs: 20 }))).toMatchObject({ code: "timed_out" });
  });

  it("an abort ends a connection that is being made, through a proxy as well", async () => {
    const silent = await startServer({ script: [stall], tls: { delayMs: Number.POSITIVE_INFINITY } });
    const proxy = await play(stall);
    for (const [server, options] of [
      [silent, { ca: silent.ca }],
      [proxy, { url: () => "http://behind-proxy.test/file", proxy: { httpProxy: proxy.url } }],
    ] as const) {
      const controller = new AbortController();
      const aborted = failureOf(download(server, { ...options, signal: controller.signal }));
      await eventually(() => server.open.size).toBe(1);
      controller.abort();
      expect(await aborted).toMatchObject({ code: "aborted" });
      // Sooner than the limit for connections would end it, which is 5 s.
      await expect.poll(() => server.open.size, { timeout: 3_000 }).toBe(0);
    }
  });
});
