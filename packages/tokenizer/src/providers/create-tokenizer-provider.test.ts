import { getEventListeners } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AbortedError, TimeoutError, type Tokenizer, ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TokenizerRequest } from "../sources/tokenizer-source.js";
import { startHubServer } from "../testing/hub-server.js";
import { loadRecordedTokenizer, recordedTokenizers } from "../testing/recorded-tokenizers.js";
import { createTokenizerProvider } from "./create-tokenizer-provider.js";
import { getTokenizer, registerTokenizer } from "./get-tokenizer.js";

const tiny = await loadRecordedTokenizer("tiny");
const [{ directory: tinyDirectory }] = recordedTokenizers;

/** A source that gives the tiny tokenizer for anything and remembers what it was asked for. */
function recordingSource() {
  const requests: TokenizerRequest[] = [];
  return Object.assign(
    async ({ signal: _, ...request }: TokenizerRequest): Promise<Tokenizer> => {
      requests.push(request);
      return tiny;
    },
    { requests },
  );
}

describe("getTokenizer", () => {
  it("asks the source for the resolved id and the pinned or wanted revision", async () => {
    const source = recordingSource();
    const provider = createTokenizerProvider({ source });
    await provider.getTokenizer("Qwen/Qwen3-8B:peft:131072");
    await provider.getTokenizer("any/model", { tokenizerId: "org/tokenizer", revision: "v2" });
    await provider.getTokenizer("moonshotai/Kimi-K2.5", { source });
    expect(source.requests).toEqual([
      { id: "Qwen/Qwen3-8B" },
      { id: "org/tokenizer", revision: "v2" },
      { id: "moonshotai/Kimi-K2.5", revision: "4d01dfe0332d63057c186e0b262165819efb6611" },
    ]);
  });

  it("takes the hub where nothing else is said", async () => {
    const hub = await startHubServer({
      "tokenizer.json": JSON.stringify({ model: { type: "BPE", vocab: { a: 0 }, merges: [] } }),
    });
    const cacheDirectory = temporaryDirectory();
    try {
      const provider = createTokenizerProvider({ endpoint: hub.endpoint, cacheDirectory, env: {} });
      expect((await provider.getTokenizer("org/model/variant")).encode("a")).toEqual([0]);
    } finally {
      await hub.close();
    }
  });

  it("says where the tokenizer of a built-in model is, when the hub has none of that name", async () => {
    const hub = await startHubServer({});
    try {
      const cacheDirectory = temporaryDirectory();
      const provider = createTokenizerProvider({ endpoint: hub.endpoint, cacheDirectory, env: {} });
      const built = provider.getTokenizer("tinkex/pocket-2");
      await expect(built).rejects.toThrow(ValidationError);
      await expect(built).rejects.toThrow(
        /^getTokenizer: tinkex\/pocket-2 comes with the local server, and no public hub has it \(.+\); .*await training\.getTokenizer\(\)/,
      );
      await expect(provider.getTokenizer("other/pocket-2")).rejects.not.toThrow("local server");
      const aborted = provider.getTokenizer("tinkex/pocket-2", { signal: AbortSignal.abort() });
      await expect(aborted).rejects.toThrow(AbortedError);
    } finally {
      await hub.close();
    }
  });

  it("leaves a failure of the cache as it is, whichever model it is of", async () => {
    const hub = await startHubServer({ "tokenizer.json": "{}" });
    try {
      const cacheDirectory = join(temporaryDirectory(), "file");
      await writeFile(cacheDirectory, "");
      const { getTokenizer: get } = createTokenizerProvider({
        endpoint: hub.endpoint,
        // The hub of tests has one repository.
        fetch: (url, init) => fetch(String(url).replace("tinkex/pocket-2", "org/model"), init),
        cacheDirectory,
        env: {},
      });
      await expect(get("tinkex/pocket-2")).rejects.toThrow(/^cannot write to the cache /);
    } finally {
      await hub.close();
    }
  });

  it("takes a name with the letter of a drive for a path, on every system", async () => {
    const { getTokenizer: get } = createTokenizerProvider({ source: recordingSource() });
    for (const path of ["C:\\models\\mine", "d:/models/mine"]) {
      await expect(get(path)).rejects.toThrow(`there is no tokenizer.json in ${path}`);
    }
  });

  it("says when the source has no such tokenizer", async () => {
    const { getTokenizer: get } = createTokenizerProvider({ source: () => undefined });
    await expect(get("a/b", { revision: "v1" })).rejects.toThrow('no tokenizer "a/b" at revision v1');
  });

  it("clients 91: refuses an empty tokenizer id", async () => {
    const { getTokenizer: get } = createTokenizerProvider({ source: recordingSource() });
    await expect(get("a/b", { tokenizerId: "" })).rejects.toThrow(ValidationError);
  });

  it.each([
    ["TML/x", /TML\/x is in no public repository.*registerTokenizer\("TML\/x"/],
    ["thinkingmachines/x", /registerTokenizer\("thinkingmachines\/x"/],
  ])("clients 92: says of %s which source to register, and uses it", async (model, message) => {
    const provider = createTokenizerProvider({ source: recordingSource() });
    await expect(provider.getTokenizer(model)).rejects.toThrow(ValidationError);
    await expect(provider.getTokenizer(model)).rejects.toThrow(message);
    const source = recordingSource();
    provider.registry.register(model.replace(/[^/]*$/, "*"), source);
    expect(await provider.getTokenizer(model)).toBe(tiny);
    expect(source.requests).toHaveLength(1);
  });

  it("clients 93: loads once for calls at the same time, and again after a failure", async () => {
    const source = vi.fn(async (): Promise<Tokenizer> => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (source.mock.calls.length === 1) throw new Error("out of luck");
      return tiny;
    });
    const { getTokenizer: get } = createTokenizerProvider({ source });
    const failures = await Promise.allSettled([get("a/b"), get("a/b:x")]);
    expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(source).toHaveBeenCalledTimes(1);
    expect(await Promise.all([get("a/b"), get("a/b"), get("a/b/variant")])).toEqual([tiny, tiny, tiny]);
    expect(source).toHaveBeenCalledTimes(2);
    await get("a/b", { revision: "v2" });
    expect(source).toHaveBeenCalledTimes(3);
  });
});

describe("the wait for a tokenizer", () => {
  /** A source that gives nothing until its signal aborts, and remembers the signals. */
  function endlessSource() {
    const signals: AbortSignal[] = [];
    const source = ({ signal }: TokenizerRequest) =>
      new Promise<Tokenizer>((_resolve, reject) => {
        if (signal === undefined) throw new Error("no signal");
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    return Object.assign(source, { signals });
  }

  it("is ended by its own signal or time limit, and the load by the last", async () => {
    const source = endlessSource();
    const { getTokenizer: get } = createTokenizerProvider();
    const caller = new AbortController();
    const first = get("a/b", { source, signal: caller.signal });
    const second = get("a/b", { source, timeoutMs: 50 });
    caller.abort();
    await expect(first).rejects.toThrow(AbortedError);
    await expect(first).rejects.toThrow("loading the tokenizer of a/b was aborted");
    expect(source.signals[0]?.aborted).toBe(false);
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
    await expect(second).rejects.toThrow(TimeoutError);
    expect(source.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("never begins with a signal that has aborted", async () => {
    const source = vi.fn(() => tiny);
    const { getTokenizer: get } = createTokenizerProvider({ source });
    await expect(get("a/b", { signal: AbortSignal.abort() })).rejects.toThrow(AbortedError);
    await expect(get("./nowhere", { signal: AbortSignal.abort() })).rejects.toThrow(AbortedError);
    await expect(get("a/b", { timeoutMs: -1 })).rejects.toThrow(/timeoutMs must be 0 or more/);
    expect(source).not.toHaveBeenCalled();
  });

  it("goes on for those who have no limits", async () => {
    let finish: (tokenizer: Tokenizer) => void = () => {};
    const source = vi.fn(() => new Promise<Tokenizer>((resolve) => (finish = resolve)));
    const { getTokenizer: get } = createTokenizerProvider({ source });
    const patient = get("a/b");
    await expect(get("a/b", { timeoutMs: 20 })).rejects.toThrow(TimeoutError);
    finish(tiny);
    expect(await patient).toBe(tiny);
    expect(await get("a/b", { timeoutMs: 1_000 })).toBe(tiny);
    expect(source).toHaveBeenCalledTimes(1);
  });
});

describe("a directory", () => {
  const workingDirectory = process.cwd();
  let folder: string;
  beforeEach(async () => {
    folder = temporaryDirectory();
    await mkdir(join(folder, "org/model"), { recursive: true });
    const json = JSON.stringify({ model: { type: "BPE", vocab: { z: 0 }, merges: [] } });
    await writeFile(join(folder, "org/model/tokenizer.json"), json);
    process.chdir(folder);
  });
  afterEach(async () => {
    process.chdir(workingDirectory);
  });

  it("is loaded when it is given as a path", async () => {
    expect((await getTokenizer(tinyDirectory)).vocabularySize).toBe(384);
    expect((await getTokenizer("./org/model")).tokenId("z")).toBe(0);
    await expect(getTokenizer("./nothing")).rejects.toThrow("no tokenizer.json in ./nothing");
  });

  it("of a model's name stands for the model, as in Python", async () => {
    const source = recordingSource();
    const provider = createTokenizerProvider({ source });
    expect((await provider.getTokenizer("org/model")).tokenId("z")).toBe(0);
    expect(source.requests).toEqual([]);
    provider.registry.register("org/model", source);
    expect(await provider.getTokenizer("org/model")).toBe(tiny);
    expect(await provider.getTokenizer("org/model", { source })).toBe(tiny);
  });
});

describe("registerTokenizer", () => {
  it("serves getTokenizer of the whole process until it is taken out", async () => {
    const unregister = registerTokenizer("test-org/*", () => tiny);
    expect(await getTokenizer("test-org/model:variant")).toBe(tiny);
    unregister();
    await expect(getTokenizer("test-org/model", { source: () => undefined })).rejects.toThrow(
      ValidationError,
    );
  });
});

it("sends what it asks the hub through the fetch that it is given, as programs behind a proxy need", async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response(null, { status: 404 });
  };
  const { getTokenizer: get } = createTokenizerProvider({ fetch, endpoint: "http://hub.invalid", env: {} });
  await expect(get("org/model")).rejects.toThrow(/X-Repo-Commit|404/);
  expect(asked).toEqual(["http://hub.invalid/org/model/resolve/main/tokenizer.json"]);
});
