import { readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock, TinkexError, ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type HubServer, startHubServer } from "../testing/hub-server.js";
import { type FromHubOptions, fromHub } from "./from-hub.js";
import { fromHuggingFaceCache } from "./from-hugging-face-cache.js";

const vocab = Object.fromEntries(
  ["a", ...Array.from({ length: 400 }, (_, i) => `t${i}`)].map((t, i) => [t, i]),
);
const FILES = {
  "tokenizer.json": JSON.stringify({ model: { type: "BPE", vocab, merges: [] } }),
  "tokenizer_config.json": JSON.stringify({ eos_token: "t1" }),
};
const id = "org/model";

let hub: HubServer;
let cacheDirectory: string;

beforeEach(async () => {
  hub = await startHubServer(FILES);
  cacheDirectory = temporaryDirectory();
});
afterEach(() => hub.close());

const source = (options: FromHubOptions = {}) =>
  fromHub({
    endpoint: hub.endpoint,
    cacheDirectory,
    env: { HF_TOKEN_PATH: join(cacheDirectory, "no token") },
    clock: {
      ...systemClock,
      sleep: (ms, signal, wait) => systemClock.sleep(wait?.background === true ? ms : 5, signal, wait),
    },
    ...options,
  });
const requests = () =>
  hub.requests.map(({ host, method, path }) => `${host} ${method} ${path.split("/").at(-1)}`);

// thinking-machines-lab/tinker-cookbook#136: a damaged tokenizer.json in the cache, and no way past it.
describe("a file of the cache that is damaged", () => {
  const CUTS = [
    ["cut to half", (content: Buffer) => content.subarray(0, content.length / 2)],
    ["emptied", () => Buffer.alloc(0)],
    ["all zeros", (content: Buffer) => Buffer.alloc(content.length)],
    [
      "another file of the same length",
      (content: Buffer) => Buffer.from(content.toString().replace("t1", "t9")),
    ],
  ] as const;

  const rows = CUTS.flatMap(([how, cut]) => Object.keys(FILES).map((file) => ({ how, cut, file })));

  async function damage(file: string, cut: (content: Buffer) => Buffer): Promise<string> {
    await source()({ id });
    const path = join(cacheDirectory, "models--org--model", "snapshots", hub.commit(), file);
    const blob = await realpath(path);
    await writeFile(blob, cut(await readFile(blob)));
    return path;
  }
  const load = async (options: FromHubOptions, revision?: string) => {
    const tokenizer = await source(options)({ id, ...(revision === undefined ? {} : { revision }) });
    return [
      tokenizer?.tokenId("a"),
      tokenizer !== undefined && "namedTokens" in tokenizer && tokenizer.namedTokens,
    ];
  };

  it.each(rows)("is fetched again: $file $how", async ({ cut, file }) => {
    for (const revision of [undefined, hub.commit()]) {
      await damage(file, cut);
      hub.requests.length = 0;
      expect(await load({}, revision)).toEqual([0, { eos: "t1" }]);
      expect(requests().filter((request) => request === `hub GET ${file}`)).toHaveLength(1);
      hub.requests.length = 0;
      expect(await load({}, hub.commit())).toEqual([0, { eos: "t1" }]);
      expect(requests()).toEqual([]);
    }
  });

  it.each(rows)(
    "is named with its path where the hub may not be asked: $file $how",
    async ({ cut, file }) => {
      const path = await damage(file, cut);
      await expect(load({ offline: true })).rejects.toThrow(ValidationError);
      await expect(load({ offline: true })).rejects.toThrow(`${path} is damaged`);
      const cached = fromHuggingFaceCache({ cacheDirectory, env: {} })({ id });
      await expect(cached).rejects.toThrow(`${path} is damaged`);
      hub.trouble = { times: 99, status: 503 };
      await expect(load({})).rejects.toThrow(TinkexError);
    },
  );

  it.each(CUTS.slice(0, 3))("is fetched again where it is a copy and no link: %s", async (_how, cut) => {
    await source()({ id });
    const path = join(cacheDirectory, "models--org--model", "snapshots", hub.commit(), "tokenizer.json");
    const content = await readFile(path);
    await rm(path);
    await writeFile(path, cut(content));
    expect(await load({}, hub.commit())).toEqual([0, { eos: "t1" }]);
  });
});
