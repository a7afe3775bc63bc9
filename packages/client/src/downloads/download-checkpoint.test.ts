import { mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ApiStatusError, ResponseError, UnsupportedByServerError, ValidationError } from "@tinkex/base";
import { CANARY_KEY } from "@tinkex-tooling/canary";
import {
  answer,
  file,
  HostileServer,
  on,
  redirect,
  reset,
  type Script,
} from "@tinkex-tooling/hostile-server";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type OpenService, openService } from "../testing/open-service.js";
import { tarArchive } from "../testing/tar-archive.js";
import type { CheckpointProgress, DownloadCheckpointOptions } from "./download-options.js";

const EXPORT = "tinker://run/external_weights/a";
const URLS = "training_runs/run/checkpoints/external_weights/a/external_weights_urls";
const WEIGHTS = "tinker://run/weights/a";
const ARCHIVE = "training_runs/run/checkpoints/weights/a/archive";
const config = Buffer.from('{"peft_type":"LORA"}');
const weights = Buffer.from("0123456789".repeat(2_000));
const tar = tarArchive(
  { name: "./", flag: "5" },
  { name: "./adapter_config.json", content: config },
  { name: "./adapter_model.safetensors", content: weights },
  { name: "checkpoint_complete" },
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

/** A service whose export is two files at the storage. */
async function withExport(...script: Script): Promise<OpenService & { readonly storage: HostileServer }> {
  const open = await openService();
  const storage = await play(...script);
  serveExport(open, storage, ["adapter_model.safetensors", "adapter_config.json"]);
  return { ...open, storage };
}

function serveExport({ stub }: OpenService, storage: HostileServer, names: readonly string[]): void {
  const urls = Object.fromEntries(
    names.map((name) => [name, `${storage.url}/${encodeURIComponent(name)}?sig=secret`]),
  );
  stub.on(URLS, () => ({ body: { urls, expires: "2099-01-01T00:00:00Z" } }));
}

async function withArchive(...script: Script): Promise<OpenService & { readonly storage: HostileServer }> {
  const open = await openService();
  const storage = await play(...script);
  open.stub.on(ARCHIVE, () => ({ status: 302, headers: { location: `${storage.url}/archive?sig=secret` } }));
  return { ...open, storage };
}

const get = ({ service }: OpenService, options: DownloadCheckpointOptions = {}, path = EXPORT) =>
  service.rest.downloadCheckpoint(path, directory(), options);

/** Downloads until ten thousand bytes of a file have come, and gives up. */
async function giveUpHalfway(open: OpenService): Promise<void> {
  const controller = new AbortController();
  const onProgress = ({ receivedBytes }: CheckpointProgress): void => {
    if (receivedBytes === 10_000) controller.abort();
  };
  await expect(get(open, { signal: controller.signal, onProgress })).rejects.toMatchObject({
    code: "aborted",
  });
}

const isConfig = on({ path: "/adapter_config.json" }, file(config, '"c"'));
const isWeights = on({ path: "/adapter_model.safetensors" }, file(weights, '"w"'));
const isHalfWeights = on({ path: "/adapter_model.safetensors" }, file(weights, '"w"', 10_000));

/** Counts how often a program waits for the disk, through the class that all open files share. */
async function syncs(action: () => Promise<unknown>): Promise<number> {
  const file = await open(join(parent, "probe"), "w");
  const spy = vi.spyOn(Object.getPrototypeOf(file), "sync");
  await file.close();
  await rm(join(parent, "probe"));
  try {
    await action();
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}

/** Makes a link to a file beside it. */
async function linkTo(path: string, content: string): Promise<void> {
  await writeFile(`${path}-file`, content);
  await symlink(`${path}-file`, path);
}

describe("an export", () => {
  it("waits for the disk with each file, unless it is told not to", async () => {
    const all = await syncs(async () => get(await withExport(isConfig, isWeights)));
    await rm(directory(), { recursive: true });
    // The record of a file that is coming goes to the disk in any case: it is small.
    const ofRecords = await syncs(async () => get(await withExport(isConfig, isWeights), { flush: false }));
    expect(all - ofRecords).toBe(2);
  });

  it("is downloaded file by file to a directory that only its owner reads, and the storage hears nothing of us", async () => {
    const open = await withExport(isConfig, isWeights);
    const seen: CheckpointProgress[] = [];
    const done = await get(open, {
      onProgress: (progress) => seen.push(progress),
      headers: { "x-mine": CANARY_KEY },
    });
    expect(done).toEqual({
      tinker_path: EXPORT,
      directory: directory(),
      files: [
        { name: "adapter_config.json", byteLength: config.length },
        { name: "adapter_model.safetensors", byteLength: weights.length },
      ],
      isPeftAdapter: true,
    });
    expect((await readFile(join(directory(), "adapter_model.safetensors"))).equals(weights)).toBe(true);
    expect((await readFile(join(directory(), "adapter_config.json"))).equals(config)).toBe(true);
    expect((await readdir(parent)).sort()).toEqual(["adapter"]);
    expect((await stat(directory())).mode & 0o777).toBe(0o700);
    expect((await stat(join(directory(), "adapter_config.json"))).mode & 0o777).toBe(0o600);
    expect(seen.at(-1)).toEqual({
      file: "adapter_model.safetensors",
      fileIndex: 1,
      fileCount: 2,
      receivedBytes: weights.length,
      totalBytes: weights.length,
    });
    expect(open.storage.requests).toHaveLength(2);
    for (const { headers } of open.storage.requests) {
      expect(Object.keys(headers).sort()).toEqual([
        "accept",
        "accept-encoding",
        "connection",
        "host",
        "user-agent",
      ]);
      expect(JSON.stringify(headers)).not.toContain(CANARY_KEY);
    }
  });

  it("is not fetched again by the same call, and asks the service for nothing then", async () => {
    const open = await withExport(isConfig, isWeights);
    const first = await get(open);
    const before = open.stub.requests.length;
    expect(await get(open)).toEqual(first);
    expect(open.storage.requests).toHaveLength(2);
    expect(open.stub.requests).toHaveLength(before);
  });

  it("is gone on with after an abort: what is whole is not asked for, and of the rest what is missing", async () => {
    const open = await withExport(isConfig, isHalfWeights);
    await giveUpHalfway(open);
    await expect(stat(directory())).rejects.toThrow("ENOENT");
    const storage = await play(isWeights);
    serveExport(open, storage, ["adapter_model.safetensors", "adapter_config.json"]);
    await get(open);
    expect(storage.requests.map(({ headers }) => headers.range)).toEqual(["bytes=10000-"]);
    expect((await readFile(join(directory(), "adapter_model.safetensors"))).equals(weights)).toBe(true);
    expect(await readdir(parent)).toEqual(["adapter"]);
  });

  it("asks for fresh addresses before they expire, and when the storage says they have", async () => {
    const open = await withExport(
      on({ path: "/adapter_config.json" }, answer(403, "expired"), file(config, '"c"')),
      isWeights,
    );
    const { storage, clock } = open;
    const at = (sig: string, ms: number) => ({
      body: {
        urls: {
          "adapter_config.json": `${storage.url}/adapter_config.json?sig=${sig}`,
          "adapter_model.safetensors": `${storage.url}/adapter_model.safetensors?sig=${sig}`,
        },
        expires: new Date(clock.now() + ms).toISOString(),
      },
    });
    open.stub.script(URLS, at("old", 3_600_000), at("new", 299_000), at("last", 3_600_000));
    expect((await get(open)).files).toHaveLength(2);
    expect(storage.requests.map(({ path }) => path)).toEqual([
      "/adapter_config.json?sig=old",
      "/adapter_config.json?sig=new",
      "/adapter_model.safetensors?sig=last",
    ]);
  });

  it("goes where the storage sends it on, to another host too, without our headers", async () => {
    const elsewhere = await play(isConfig, isWeights);
    const open = await withExport(
      on(
        { path: "/adapter_config.json?sig=secret" },
        redirect(302, `${elsewhere.url}/adapter_config.json?sig=secret`),
      ),
      on({}, redirect(307, `${elsewhere.url}/adapter_model.safetensors?sig=secret`)),
    );
    await get(open);
    expect((await readFile(join(directory(), "adapter_model.safetensors"))).equals(weights)).toBe(true);
    for (const { headers } of elsewhere.requests) expect(headers).not.toHaveProperty("x-api-key");
  });

  it.each([
    ["../evil"],
    ["/etc/evil"],
    ["a/../../evil"],
    ["a\\..\\evil"],
    ["C:evil"],
    ["nul.txt"],
    ["a\0b"],
    ["a/"],
    [".tinkex-download.json"],
    [".tinkex-download.json/a"],
  ])("whose list has the name %j is refused before anything is fetched or made", async (name) => {
    const open = await withExport(isConfig);
    serveExport(open, open.storage, ["adapter_config.json", name]);
    await expect(get(open)).rejects.toBeInstanceOf(ResponseError);
    expect(open.storage.requests).toEqual([]);
    expect(await readdir(parent)).toEqual([]);
  });

  it.each([
    ["no files", {}, "has no files"],
    ["two names of different case", { a: "http://h/a", A: "http://h/A" }, "in case"],
    ["a file: address", { a: "file:///etc/passwd" }, "none of http or https"],
    ["an address that is none", { a: "secret" }, "none of http or https"],
  ])("with %s is refused", async (_, urls, message) => {
    const open = await openService();
    open.stub.on(URLS, () => ({ body: { urls, expires: "2099-01-01T00:00:00Z" } }));
    const failure = await get(open).then(String, (error: unknown) => error);
    expect(failure).toBeInstanceOf(ResponseError);
    expect(String(failure)).toContain(message);
    expect(String(failure)).not.toContain("secret");
    await expect(stat(directory())).rejects.toThrow("ENOENT");
  });

  it("larger than maxBytes in all is refused, though each file is not", async () => {
    const open = await withExport(isConfig, isWeights);
    const maxBytes = weights.length + config.length;
    await expect(get(open, { maxBytes: maxBytes - 1 })).rejects.toThrow("maxBytes");
    await expect(stat(directory())).rejects.toThrow("ENOENT");
    expect((await get(open, { maxBytes })).files).toHaveLength(2);
  });
});

describe("an onProgress that fails", () => {
  const fault = new Error("mine");
  const late = async (): Promise<void> => {
    throw fault;
  };
  const atOnce = (): never => {
    throw fault;
  };

  it.each([
    ["at once", atOnce],
    ["later", late],
  ])("%s ends the download of files and of an archive, and not the process", async (_, onProgress) => {
    await expect(get(await withExport(isConfig, isWeights), { onProgress })).rejects.toBe(fault);
    await expect(get(await withArchive(file(tar, '"t"')), { onProgress }, WEIGHTS)).rejects.toBe(fault);
    await expect(stat(directory())).rejects.toThrow("ENOENT");
  });

  it("later, of a file that an earlier call has fetched, ends it too", async () => {
    const open = await withExport(isConfig, isHalfWeights);
    await giveUpHalfway(open);
    serveExport(open, await play(isWeights), ["adapter_model.safetensors", "adapter_config.json"]);
    const onProgress = async ({ fileIndex }: CheckpointProgress): Promise<void> => {
      if (fileIndex === 0) throw fault;
    };
    await expect(get(open, { onProgress })).rejects.toBe(fault);
  });
});

describe("the directory of a download", () => {
  it("may be there and empty; what else is there is not touched", async () => {
    const open = await withExport(isConfig, isWeights);
    await mkdir(directory());
    await writeFile(join(directory(), "mine"), "mine");
    const failure = await get(open).then(String, (error: unknown) => error);
    expect(failure).toBeInstanceOf(ValidationError);
    expect(String(failure)).toContain("directory must be empty, not there yet, or hold");
    expect(open.stub.seen(URLS)).toEqual([]);
    await rm(join(directory(), "mine"));
    expect((await get(open)).files).toHaveLength(2);
    await rm(join(directory(), "adapter_config.json"));
    await expect(get(open)).rejects.toBeInstanceOf(ValidationError);
  });

  it("may not be a link to a folder, and the message says what to give", async () => {
    const open = await withExport(isConfig, isWeights);
    await mkdir(join(parent, "elsewhere"));
    await symlink(join(parent, "elsewhere"), directory());
    const failure: unknown = await get(open).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ValidationError);
    expect(String(failure)).toContain("directory must be a folder, got a link to one");
    expect(await readdir(join(parent, "elsewhere"))).toEqual([]);
    expect(open.stub.seen(URLS)).toEqual([]);
  });

  it.each([
    ["is a file", (path: string) => writeFile(path, "mine"), "which is a file"],
    ["is a link to a file", (path: string) => linkTo(path, "mine"), "which is a file"],
    ["is a link to nothing", (path: string) => symlink(join(parent, "none"), path), "a link to nothing"],
    ["is a link to itself", (path: string) => symlink(path, path), "a link to nothing"],
  ])("may not be one that %s, nor lie in it, and nothing is asked for", async (_, make, fault) => {
    const open = await withExport(isConfig, isWeights);
    const path = directory();
    await make(path);
    const before = (await readdir(parent)).sort();
    for (const place of [path, join(path, "below"), join(path, "a", "b")]) {
      const failure: unknown = await open.service.rest
        .downloadCheckpoint(EXPORT, place)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ValidationError);
      expect(String(failure)).toContain(`downloadCheckpoint: directory must be a folder or not there yet`);
      expect(String(failure)).toContain(fault);
      expect(String(failure)).toContain("choose another one");
    }
    expect((await readdir(parent)).sort()).toEqual(before);
    expect(open.stub.seen(URLS)).toEqual([]);
  });

  it("may lie below a link to a folder", async () => {
    const open = await withExport(isConfig, isWeights);
    await mkdir(join(parent, "elsewhere"));
    await symlink(join(parent, "elsewhere"), directory());
    await open.service.rest.downloadCheckpoint(EXPORT, join(directory(), "a", "b"));
    expect(await readdir(join(parent, "elsewhere", "a", "b"))).toContain("adapter_config.json");
  });

  it("may not be the empty folder that the program works in, which stays, but one below it", async () => {
    const open = await withExport(isConfig, isWeights);
    await mkdir(directory());
    // Workers cannot change their folder, so that the program's own is told to be this one.
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(directory());
    onTestFinished(() => cwd.mockRestore());
    for (const place of [".", "below/.."]) {
      await expect(open.service.rest.downloadCheckpoint(EXPORT, place)).rejects.toThrow(
        "directory must not be the folder that the program works in, which would be replaced; give one below it",
      );
    }
    expect(open.stub.seen(URLS)).toEqual([]);
    const { directory: made } = await open.service.rest.downloadCheckpoint(EXPORT, "below");
    expect(made).toBe(join(directory(), "below"));
    expect(await readdir(directory())).toEqual(["below"]);
  });

  it("has nothing beside it once another checkpoint came, or the same call finds it done", async () => {
    const open = await withExport(isConfig, isHalfWeights);
    await giveUpHalfway(open);
    const left = await readdir(parent);
    expect(left).toHaveLength(1);
    const archives = await withArchive(file(tar, '"t"'));
    await get(archives, {}, WEIGHTS);
    expect(await readdir(parent)).toEqual(["adapter"]);
    await mkdir(join(parent, String(left[0])));
    await get(archives, {}, WEIGHTS);
    expect(await readdir(parent)).toEqual(["adapter"]);
  });

  it("is that of two calls at one time, which do not mix", async () => {
    const open = await withExport(isConfig, isWeights);
    const [a, b] = await Promise.all([get(open), get(open)]);
    expect(a).toEqual(b);
    expect(await readdir(parent)).toEqual(["adapter"]);
    expect((await readFile(join(directory(), "adapter_model.safetensors"))).equals(weights)).toBe(true);
  });

  it.each([
    [["a"], "", {}, "directory must be a path"],
    [["a"], "a\0b", {}, "directory must be a path"],
    [["a"], "a", { maxBytes: 0 }, "maxBytes must be an integer above 0, got 0"],
    [["a"], "a", { maxFiles: 1.5 }, "maxFiles must be an integer above 0, got 1.5"],
    [["a"], "a", { maxRatio: "2" as never }, 'maxRatio must be an integer above 0, got "2"'],
    [["a"], "a", { onProgress: 5 as never }, "onProgress"],
  ])("is checked with the options before anything is sent (%#)", async (_, path, options, message) => {
    const { stub, service } = await openService();
    expect(() => service.rest.downloadCheckpoint(EXPORT, path, options)).toThrow(message);
    expect(stub.requests).toEqual([]);
  });
});

describe("an archive", () => {
  it.each([
    ["plain", tar],
    ["gzip", gzipSync(tar)],
  ])("of a training checkpoint is unpacked, %s", async (_, stored) => {
    const open = await withArchive(file(stored, '"t"'));
    const done = await get(open, {}, WEIGHTS);
    expect(done.isPeftAdapter).toBe(true);
    expect(done.files.map(({ name }) => name)).toEqual([
      "adapter_config.json",
      "adapter_model.safetensors",
      "checkpoint_complete",
    ]);
    expect((await readFile(join(directory(), "adapter_model.safetensors"))).equals(weights)).toBe(true);
    expect(await readdir(parent)).toEqual(["adapter"]);
    expect(open.storage.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("of files that have maxBytes together is unpacked, plain and packed, and one byte less is refused", async () => {
    const maxBytes = config.length + weights.length;
    expect(tar.length).toBeGreaterThan(maxBytes);
    for (const bytes of [tar, gzipSync(tar)]) {
      const open = await withArchive(file(bytes, '"t"'));
      await expect(get(open, { maxBytes: maxBytes - 1 }, WEIGHTS)).rejects.toThrow(
        `more than the ${maxBytes - 1} bytes of maxBytes`,
      );
      expect(await readdir(parent)).toEqual([]);
      const again = await withArchive(file(bytes, '"t"'));
      const { files } = await get(again, { maxBytes }, WEIGHTS);
      expect(files.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(maxBytes);
      await rm(directory(), { recursive: true });
    }
  });

  it("that is longer than its files and their headers may be is not fetched", async () => {
    const open = await withArchive(file(Buffer.alloc(3 * 4096), '"t"'));
    await expect(get(open, { maxBytes: 4096, maxFiles: 1 }, WEIGHTS)).rejects.toThrow("bytes");
    expect(await readdir(parent)).toHaveLength(1);
  });

  it("is gone on with where the connection broke, and where a call ended", async () => {
    const open = await withArchive(file(tar, '"t"', 3_000));
    const onProgress = ({ receivedBytes }: CheckpointProgress): void => {
      if (receivedBytes === 3_000) void open.service.close();
    };
    await expect(get(open, { onProgress }, WEIGHTS)).rejects.toMatchObject({ code: "closed" });
    const later = await withArchive(reset, file(tar, '"t"'));
    const pending = get(later, {}, WEIGHTS);
    await expect.poll(() => later.clock.sleeps.length).toBe(1);
    await later.clock.advance(60_000);
    await pending;
    expect(later.storage.requests.map(({ headers }) => headers.range)).toEqual([
      "bytes=3000-",
      "bytes=3000-",
    ]);
    expect(await readdir(parent)).toEqual(["adapter"]);
  });

  it("is fetched from a place of the service itself, which is told without its address, and our key does not go there", async () => {
    const open = await openService();
    open.stub.on(ARCHIVE, () => ({ status: 302, headers: { location: "archives/a.tar?sig=secret" } }));
    open.stub.on(`${ARCHIVE}s/a.tar?sig=secret`, () => ({ body: tar, headers: { etag: '"t"' } }));
    expect((await get(open, {}, WEIGHTS)).isPeftAdapter).toBe(true);
    const [request] = open.stub.seen(`${ARCHIVE}s/a.tar?sig=secret`);
    expect(request?.headers).not.toHaveProperty("x-api-key");
  });

  it("is what an export is downloaded as, where the service has no addresses of files", async () => {
    const open = await openService();
    const storage = await play(file(tar, '"t"'));
    open.stub.on(URLS, () => ({ status: 404, body: { detail: "Not Found" } }));
    open.stub.on("training_runs/run/checkpoints/external_weights/a/archive", () => ({
      body: { url: `${storage.url}/archive`, expires: "2099-01-01T00:00:00Z" },
    }));
    expect((await get(open)).isPeftAdapter).toBe(true);
  });

  it("that the service does not have leads to the way it has, and one that is not there is not found", async () => {
    const open = await openService();
    open.stub.on(ARCHIVE, () => ({ status: 404, body: { detail: "Not Found" } }));
    const failure = await get(open, {}, WEIGHTS).then(String, (error: unknown) => error);
    expect(failure).toBeInstanceOf(UnsupportedByServerError);
    expect(String(failure)).toContain("save an export with saveWeightsExternal");
    open.stub.on(ARCHIVE, () => ({ status: 404, body: { detail: "no such checkpoint" } }));
    await expect(get(open, {}, WEIGHTS)).rejects.toBeInstanceOf(ApiStatusError);
    expect(await readdir(parent)).toEqual([]);
  });
});
