import { once } from "node:events";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  AbortedError,
  ApiStatusError,
  ConnectionError,
  ResponseError,
  systemClock,
  ValidationError,
} from "@tinkex/base";
import { type SourceProgram, sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type HubServer, startHubServer } from "../testing/hub-server.js";
import { runProgram, startProgram } from "../testing/run-source.js";
import { type FromHubOptions, fromHub } from "./from-hub.js";
import { fromHuggingFaceCache } from "./from-hugging-face-cache.js";

/** A tokenizer.json that counts as a large file: 400 tokens. */
const tokenizerJson = (first: string) =>
  JSON.stringify({
    model: {
      type: "BPE",
      vocab: Object.fromEntries(
        [first, ...Array.from({ length: 400 }, (_, i) => `t${i}`)].map((t, i) => [t, i]),
      ),
      merges: [],
    },
  });
const CONFIG = JSON.stringify({ eos_token: "t1" });

let hub: HubServer;
let cacheDirectory: string;
const warnings: string[] = [];
const id = "org/model";

/** A new source each time, as a new process would have it. */
const source = (options: FromHubOptions = {}) =>
  fromHub({
    endpoint: hub.endpoint,
    cacheDirectory,
    env: { HF_TOKEN_PATH: join(cacheDirectory, "no token") },
    logger: { warn: (message) => warnings.push(message) },
    clock: {
      ...systemClock,
      // Pauses are short; limits of time, which run in the background, are not.
      sleep: (ms, signal, options) =>
        systemClock.sleep(options?.background === true ? ms : 5, signal, options),
    },
    ...options,
  });
const requests = () =>
  hub.requests.map(({ host, method, path }) => `${host} ${method} ${path.split("/").at(-1)}`);

beforeEach(async () => {
  hub = await startHubServer({ "tokenizer.json": tokenizerJson("a"), "tokenizer_config.json": CONFIG });
  cacheDirectory = temporaryDirectory();
  warnings.length = 0;
});
afterEach(() => hub.close());

describe("a tokenizer from the hub", () => {
  it("is downloaded once, and looked up with one small request after that", async () => {
    const tokenizer = await source()({ id });
    expect(tokenizer?.tokenId("a")).toBe(0);
    expect(tokenizer).toHaveProperty("namedTokens", { eos: "t1" });
    const downloads = () => requests().filter((request) => request.includes("GET"));
    expect(downloads()).toHaveLength(3); // The large file takes two: the hub redirects.

    hub.requests.length = 0;
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
    expect(requests()).toEqual(["hub HEAD tokenizer.json"]);
  });

  it("is downloaded again when its branch has changed, and only the file that has", async () => {
    await source()({ id });
    hub.requests.length = 0;
    hub.files = { ...hub.files, "tokenizer.json": tokenizerJson("b") };
    expect((await source()({ id }))?.tokenId("b")).toBe(0);
    expect(requests().filter((request) => request.startsWith("hub GET"))).toEqual(["hub GET tokenizer.json"]);
  });

  it("needs no request at a commit that is in the cache", async () => {
    await source()({ id });
    hub.requests.length = 0;
    expect((await source()({ id, revision: hub.commit() }))?.tokenId("a")).toBe(0);
    expect(requests()).toEqual([]);
  });

  it("lies in the cache as Python's huggingface_hub lays it out", async () => {
    await source()({ id });
    const folder = join(cacheDirectory, "models--org--model");
    expect((await readdir(folder)).sort()).toEqual([".no_exist", "blobs", "refs", "snapshots"]);
    expect(await readFile(join(folder, "refs", "main"), "utf8")).toBe(hub.commit());
    expect(await readFile(join(folder, "snapshots", hub.commit(), "tokenizer_config.json"), "utf8")).toBe(
      CONFIG,
    );
    const missing = await readdir(join(folder, ".no_exist", hub.commit()));
    expect(missing.sort()).toEqual(["added_tokens.json", "chat_template.jinja", "special_tokens_map.json"]);
    expect(await readdir(join(folder, "blobs"))).toHaveLength(2);
    expect(await readdir(join(cacheDirectory, ".locks", "models--org--model"))).toEqual([]);
  });
});

describe("chat templates in a folder of their own", () => {
  const withTools = { "chat_template.jinja": "D", "additional_chat_templates/tool_use.jinja": "T" };

  it("are read where they have the usual names, once", async () => {
    hub.files = { ...hub.files, ...withTools };
    const tokenizer = await source()({ id });
    expect(tokenizer).toHaveProperty(
      "chatTemplates",
      new Map([
        ["default", "D"],
        ["tool_use", "T"],
      ]),
    );
    hub.requests.length = 0;
    expect(await source()({ id, revision: hub.commit() })).toHaveProperty("chatTemplates.size", 2);
    expect(requests()).toEqual([]);
  });

  it("are done without where an older cache does not know of them and the hub is out of reach", async () => {
    hub.files = { ...hub.files, "chat_template.jinja": "D" };
    await source()({ id });
    const known = join(
      cacheDirectory,
      "models--org--model",
      ".no_exist",
      hub.commit(),
      "additional_chat_templates",
    );
    await rm(known, { recursive: true });
    hub.trouble = { times: Number.POSITIVE_INFINITY, status: 503 };
    expect(await source()({ id, revision: hub.commit() })).toHaveProperty("chatTemplates.size", 1);
    expect(warnings).toHaveLength(1);
  });

  it("take no token away where the hub fails over them alone", async () => {
    hub.files = {
      ...hub.files,
      "chat_template.jinja": "D",
      "special_tokens_map.json": JSON.stringify({ bos_token: "t2" }),
    };
    const failing: typeof fetch = async (input, init) =>
      `${input}`.includes("additional_chat_templates")
        ? new Response(null, { status: 503 })
        : fetch(input, init);
    const tokenizer = await source({ fetch: failing })({ id });
    expect(tokenizer).toHaveProperty("namedTokens", { bos: "t2", eos: "t1" });
    expect(warnings).toHaveLength(1);
  });
});

// moonshotai/Kimi-K2.5 and its kind have no tokenizer.json.
it("a tiktoken.model of Kimi's kind is a tokenizer from the hub too, and from the cache", async () => {
  const fixture = fileURLToPath(new URL("../../fixtures/tiktoken/", import.meta.url));
  const names = ["tiktoken.model", "tokenizer_config.json"];
  const files = await Promise.all(
    names.map(async (name): Promise<[string, string]> => [name, await readFile(join(fixture, name), "utf8")]),
  );
  hub.files = Object.fromEntries(files);
  expect((await source()({ id }))?.tokenId("[EOS]")).toBe(601);
  hub.requests.length = 0;
  expect((await source()({ id, revision: hub.commit() }))?.vocabularySize).toBe(856);
  expect((await source({ offline: true })({ id }))?.vocabularySize).toBe(856);
  expect(requests()).toEqual([]);
});

describe("the access token", () => {
  it("goes to the hub and not to where it keeps large files", async () => {
    hub.token = "hf_secret";
    await source({ token: "hf_secret" })({ id });
    expect(new Set(hub.requests.map(({ host, authorization }) => `${host} ${authorization}`))).toEqual(
      new Set(["hub Bearer hf_secret", "store undefined"]),
    );
  });

  it("comes from HF_TOKEN, or from the file that a login leaves", async () => {
    hub.token = "hf_secret";
    await source({ env: { HF_TOKEN: "hf_secret" } })({ id });
    const path = join(cacheDirectory, "token");
    await writeFile(path, "hf_secret\n");
    await rm(join(cacheDirectory, "models--org--model"), { recursive: true });
    await source({ env: { HF_TOKEN_PATH: path } })({ id });
  });

  it("is asked for in the message when there is none, and is in no message", async () => {
    hub.token = "hf_right";
    const refusal = source({ token: "hf_wrong" })({ id });
    await expect(refusal).rejects.toThrow(ApiStatusError);
    await expect(refusal).rejects.toThrow(/401 .*tokenizer\.json of org\/model at revision main.*HF_TOKEN/);
    await expect(refusal).rejects.not.toThrow(/hf_wrong/);
    await expect(refusal).rejects.toHaveProperty("code", "authentication_failed");
  });
});

describe("a redirection", () => {
  /** The hub as if it were reached by https; where it keeps large files is not. */
  const overHttps: typeof fetch = (url, init) =>
    fetch(String(url).replace("https://hub.test", hub.endpoint), init);

  it("from https to http is refused", async () => {
    const load = source({ endpoint: "https://hub.test", fetch: overHttps })({ id });
    await expect(load).rejects.toThrow(ResponseError);
    await expect(load).rejects.toThrow(/https:\/\/hub\.test leads to http:\/\/127\.0\.0\.1.*HF_ENDPOINT/);
    expect(requests()).toEqual(["hub HEAD tokenizer.json", "hub GET tokenizer.json"]);
  });

  it("without end is refused", async () => {
    const circle: typeof fetch = async (url, init) =>
      init?.method === "GET"
        ? new Response(null, { status: 302, headers: { location: "#" } })
        : fetch(url, init);
    await expect(source({ fetch: circle })({ id })).rejects.toThrow(/answered 302/);
  });
});

describe("without the network", () => {
  it("the cache stands in, with a warning", async () => {
    await source()({ id });
    const { endpoint } = hub;
    await hub.close();
    expect((await source({ endpoint })({ id }))?.tokenId("a")).toBe(0);
    expect(warnings).toEqual(["the hub cannot be reached; using org/model as it was downloaded before"]);
  });

  it("the cache stands in although it does not know which files are missing", async () => {
    await source()({ id });
    await rm(join(cacheDirectory, "models--org--model", ".no_exist"), { recursive: true });
    const { endpoint } = hub;
    await hub.close();
    expect((await source({ endpoint })({ id }))?.tokenId("a")).toBe(0);
  });

  /** Lets the network break off behind the first file. */
  const brokenOff: typeof fetch = (input, init) =>
    String(input).includes("tokenizer.json") || String(input).startsWith(hub.endpoint) === false
      ? fetch(input, init)
      : Promise.reject(new TypeError("fetch failed"));

  it.each([
    ["main", false],
    ["main", true],
    ["commit", true],
  ])("a load of %s that broke off leaves no half of a tokenizer (offline: %s)", async (name, offline) => {
    const revision = name === "main" ? name : hub.commit();
    await expect(source({ fetch: brokenOff })({ id, revision })).rejects.toThrow(ConnectionError);
    const { endpoint } = hub;
    const again = source({ endpoint, offline, fetch: () => Promise.reject(new TypeError("fetch failed")) });
    await expect(again({ id, revision })).rejects.toThrow(/tokenizer\.json of org\/model/);
    expect(await source()({ id, revision })).toHaveProperty("namedTokens", { eos: "t1" });
    expect(hub.requests.filter(({ host, method }) => host === "store" && method === "GET")).toHaveLength(1);
  });

  it("the version before stands in whole where the next one broke off", async () => {
    await source()({ id });
    hub.files = { ...hub.files, "tokenizer.json": tokenizerJson("b"), "chat_template.jinja": "D" };
    await expect(source({ fetch: brokenOff })({ id })).rejects.toThrow(ConnectionError);
    const { endpoint } = hub;
    await hub.close();
    expect((await source({ endpoint })({ id }))?.tokenId("a")).toBe(0);
  });

  it("an empty cache is an error that says what to do", async () => {
    const { endpoint } = hub;
    await hub.close();
    const load = source({ endpoint })({ id });
    await expect(load).rejects.toThrow(ConnectionError);
    await expect(load).rejects.toThrow(
      /cannot get tokenizer\.json of org\/model from http.*HF_HUB_OFFLINE=1/,
    );
  });

  it.each(["1", "on", "YES", "true"])("HF_HUB_OFFLINE=%s keeps from asking", async (value) => {
    const env = { HF_HUB_OFFLINE: value };
    await expect(source({ env })({ id })).rejects.toThrow(/may not be asked/);
    expect(requests()).toEqual([]);
    await source()({ id });
    hub.requests.length = 0;
    expect((await source({ env })({ id }))?.tokenId("a")).toBe(0);
    expect(requests()).toEqual([]);
  });

  it.each(["main", "0".repeat(40)])("says of %s that the cache does not have it", async (revision) => {
    const load = source({ offline: true })({ id, revision });
    await expect(load).rejects.toThrow(ValidationError);
    await expect(load).rejects.toThrow(
      `tokenizer.json of org/model at revision ${revision} is not in the cache`,
    );
    await expect(load).rejects.toThrow(/HF_HUB_OFFLINE.*HF_HUB_CACHE/);
  });

  it("says of a repository known to have no tokenizer.json that it has none", async () => {
    hub.files = { "config.json": "{}" };
    await expect(source()({ id })).rejects.toThrow(ValidationError);
    const load = source({ offline: true })({ id, revision: hub.commit() });
    await expect(load).rejects.toThrow(/org\/model has no tokenizer\.json in .*registerTokenizer/);
  });

  it("the cache alone is a source too", async () => {
    const cacheOnly = fromHuggingFaceCache({ cacheDirectory });
    expect(await cacheOnly({ id })).toBeUndefined();
    await source()({ id });
    hub.requests.length = 0;
    expect((await cacheOnly({ id }))?.tokenId("a")).toBe(0);
    expect(requests()).toEqual([]);
  });
});

describe("a cache that cannot be written", () => {
  // Files where folders should be: permissions do not stop an administrator.
  const folder = () => join(cacheDirectory, "models--org--model");

  it("serves what it has", async () => {
    await source()({ id });
    for (const name of ["refs", ".no_exist"]) {
      await rm(join(folder(), name), { recursive: true });
      await writeFile(join(folder(), name), "");
    }
    hub.requests.length = 0;
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
    expect(requests()).not.toContain("hub GET tokenizer.json");
    expect((await source({ offline: true })({ id, revision: hub.commit() }))?.tokenId("a")).toBe(0);
  });

  it("is named when something has to be downloaded, with the way out", async () => {
    const path = join(cacheDirectory, "a file");
    await writeFile(path, "");
    const load = source({ cacheDirectory: path })({ id });
    await expect(load).rejects.toThrow(ValidationError);
    await expect(load).rejects.toThrow(`cannot write to the cache ${path}: `);
    await expect(load).rejects.toThrow(/set HF_HUB_CACHE/);
  });

  it("is named when the download itself cannot be written", async () => {
    await mkdir(folder());
    await writeFile(join(folder(), "blobs"), "");
    await expect(source()({ id })).rejects.toThrow(`cannot write to the cache ${cacheDirectory}: `);
  });
});

describe("trouble", () => {
  it("that passes is waited out", async () => {
    hub.trouble = { times: 2, status: 503 };
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
  });

  it("that stays is an error", async () => {
    hub.trouble = { times: 99, status: 503 };
    const load = source()({ id });
    await expect(load).rejects.toThrow(/answered 503.*try again later/);
    await expect(load).rejects.toHaveProperty("attempts", 3);
  });

  it("half way through a download is waited out too", async () => {
    hub.cutDownloads = 2;
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
    expect(requests().filter((request) => request === "hub GET tokenizer.json")).toHaveLength(3);
  });

  it("half way through each download leaves nothing behind", async () => {
    hub.cutDownloads = 3;
    const load = source()({ id });
    await expect(load).rejects.toThrow(ConnectionError);
    await expect(load).rejects.toHaveProperty("attempts", 3);
    const folder = join(cacheDirectory, "models--org--model");
    expect(await readdir(join(folder, "blobs"))).toEqual([]);
    expect(await readdir(folder)).toEqual(["blobs"]);
    expect(await readdir(join(cacheDirectory, ".locks", "models--org--model"))).toEqual([]);
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
  });

  it("that swaps the content is noticed", async () => {
    const swapped: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (init?.method !== "GET") return response;
      return new Response((await response.text()).replace('"a"', '"b"'), response);
    };
    await expect(source({ fetch: swapped })({ id })).rejects.toThrow(ResponseError);
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
  });

  it.each([
    ["a repository that is not there", { id: "org/other" }, /404.*check the name and the revision/],
    ["a revision that is not there", { id, revision: "v9" }, /404.*at revision v9/],
    ["a name that leads elsewhere", { id: "../secrets" }, /not the name of a Hugging Face repository/],
    ["a name with too many parts", { id: "a/b/c" }, /"organisation\/name"/],
    ["a revision that leads elsewhere", { id, revision: "a/../../b" }, /not a branch, tag or commit/],
  ])("with %s names it", async (_name, request, message) => {
    await expect(source()(request)).rejects.toThrow(message);
  });

  it("with a repository that has no tokenizer.json says so", async () => {
    hub.files = { "config.json": "{}" };
    await expect(source()({ id })).rejects.toThrow(ValidationError);
    await expect(source()({ id })).rejects.toThrow(
      /has no tokenizer\.json on .*registerTokenizer\("org\/model"/,
    );
  });

  it("with a tiktoken.model whose pattern nobody knows says so", async () => {
    hub.files = { "tiktoken.model": "IQ== 0\n" };
    await expect(source()({ id })).rejects.toThrow(/must name tokenization_kimi.*register a source/);
  });

  it("with something that is no hub says so", async () => {
    const fetchPage: typeof fetch = async () => new Response("<html>");
    await expect(source({ fetch: fetchPage })({ id })).rejects.toThrow(/not answer like a Hugging Face hub/);
    expect(() => source({ endpoint: "huggingface.co" })).toThrow(/no http\(s\) URL/);
  });

  it("of the caller's making is an AbortedError", async () => {
    await expect(source()({ id, signal: AbortSignal.abort() })).rejects.toThrow(AbortedError);
  });
});

describe("two at the same time", () => {
  let loader: SourceProgram;
  beforeAll(async () => {
    loader = await sourceProgram(`import "../testing/load-from-hub.ts";`, import.meta.url);
  });
  afterAll(() => loader.remove());
  const downloads = () => requests().filter((request) => request === "hub GET tokenizer.json");

  it("download a file once, be they four processes", async () => {
    const lookups = () => requests().filter((request) => request === "hub HEAD tokenizer.json");
    // A download takes until both have asked, and a while more in which the second would begin its own.
    hub.beforeDownload = async () => {
      await vi.waitUntil(() => lookups().length >= 4, 40_000);
      await new Promise((resolve) => setTimeout(resolve, 300));
    };
    const run = () => runProgram(loader, [hub.endpoint, cacheDirectory, id]);
    expect(await Promise.all([run(), run(), run(), run()])).toEqual(Array(4).fill("401\n"));
    expect(downloads()).toHaveLength(1);
    const folder = join(cacheDirectory, "models--org--model");
    expect((await readdir(folder)).filter((name) => name.startsWith(".tinkex-"))).toEqual([]);
  }, 60_000);

  it("leave nothing of one that was killed while it downloaded", async () => {
    hub.beforeDownload = () => new Promise(() => {});
    const killed = startProgram(loader, [hub.endpoint, cacheDirectory, id]);
    const folder = join(cacheDirectory, "models--org--model");
    const locks = join(cacheDirectory, ".locks", "models--org--model");
    await vi.waitUntil(() => downloads().length > 0, 20_000);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const left = async () => (await readdir(folder)).filter((name) => name.startsWith(".tinkex-"));
    expect([...(await left()), ...(await readdir(locks))]).toHaveLength(2);

    hub.beforeDownload = async () => {};
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
    expect([...(await left()), ...(await readdir(locks))]).toEqual([]);
  }, 60_000);

  it("do not wait for ever for one that died", async () => {
    await source()({ id });
    const [blob = ""] = (await readdir(join(cacheDirectory, "models--org--model", "blobs"))).filter(
      (b) => b.length === 64,
    );
    await rm(join(cacheDirectory, "models--org--model"), { recursive: true });
    const lock = join(cacheDirectory, ".locks", "models--org--model", `${blob}.tinkex.lock`);
    await mkdir(dirname(lock), { recursive: true });
    await writeFile(lock, "");
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    expect((await source()({ id }))?.tokenId("a")).toBe(0);
  });
});
