import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { type Tokenizer, ValidationError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { createTransport } from "@tinkex/http";
import { getTokenizer, registerTokenizer } from "@tinkex/tokenizer/node";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService, until } from "../testing/open-service.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { runScript } from "../testing/run-script.js";
import { loadModelTokenizer, type TokenizerLoader } from "./model-tokenizer.js";

const LOCAL = "http://127.0.0.1:8000";
const REMOTE = "https://tinker.example.com";

/** Settings of a hub that is never asked. */
const OFFLINE = { HF_HUB_OFFLINE: "1", HF_HUB_CACHE: "/nowhere" };

/** Loads the tokenizer of a model for a server at `baseUrl`. */
function modelTokenizer(
  own: Tokenizer | TokenizerLoader | undefined,
  model: { readonly modelName: string; readonly tokenizerId: string | undefined },
  baseUrl: string | undefined,
  env: Readonly<Record<string, string>> = OFFLINE,
): Promise<Tokenizer> {
  return loadModelTokenizer({ id: "S:train:0", ...model }, { own, baseUrl, env });
}

const own: Tokenizer = { vocabularySize: 1, encode: () => [], decode: () => "", tokenId: () => undefined };

/** The smallest tokenizer there is: two words. */
const TOKENIZER = JSON.stringify({
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "WhitespaceSplit" },
  post_processor: null,
  decoder: null,
  model: { type: "WordLevel", vocab: { hello: 0, world: 1 }, unk_token: "hello" },
});

/** A directory with the smallest tokenizer. */
async function modelDirectory(): Promise<string> {
  const directory = temporaryDirectory();
  await writeFile(join(directory, "tokenizer.json"), TOKENIZER);
  return directory;
}

/** A hub on loopback that has the smallest tokenizer under every name with a slash, and its settings with a cache of their own. */
async function startHub() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [, owner, model, , , file] = (request.url ?? "").split("/");
    asked.push(`${owner}/${model} ${file}`);
    response.setHeader("x-repo-commit", "c".repeat(40));
    if (file !== "tokenizer.json") {
      response.writeHead(404, { "x-error-code": "EntryNotFound" }).end();
      return;
    }
    const sha1 = createHash("sha1").update(`blob ${TOKENIZER.length}\0${TOKENIZER}`).digest("hex");
    response.setHeader("etag", `"${sha1}"`).setHeader("content-length", TOKENIZER.length);
    response.end(request.method === "HEAD" ? undefined : TOKENIZER);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cache = temporaryDirectory();
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const HF_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, env: { HF_ENDPOINT, HF_HUB_CACHE: cache } };
}

describe("modelTokenizer", () => {
  it("gives the caller's own, or what the caller's function loads", async () => {
    const model = { modelName: "Qwen/Qwen3-8B", tokenizerId: "Qwen/Qwen3-8B" };
    expect(await modelTokenizer(own, model, REMOTE)).toBe(own);
    expect(
      await modelTokenizer(
        async (modelName, { tokenizerId }) => {
          expect({ modelName, tokenizerId }).toEqual(model);
          return own;
        },
        model,
        REMOTE,
      ),
    ).toBe(own);
  });

  it("reads a model directory on this machine", async () => {
    const directory = await modelDirectory();
    const tokenizer = await modelTokenizer(undefined, { modelName: "m", tokenizerId: directory }, LOCAL);
    expect(tokenizer.encode("hello world")).toEqual([0, 1]);
  });

  it("says what to pass when the service does not say which model it is", async () => {
    const unnamed = { id: "S:sample:0", modelName: undefined, tokenizerId: undefined };
    await expect(loadModelTokenizer(unnamed, { own: undefined, baseUrl: REMOTE })).rejects.toThrow(
      /the tokenizer of S:sample:0 is not on this machine: give the option tokenizer to ServiceClient/,
    );
  });

  it("is found by training and sampling clients, of the same base model too", async () => {
    const { stub, service } = await openService();
    const directory = await modelDirectory();
    stub.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: "base", tokenizer_id: directory } },
    }));
    const training = await service.createLoraTrainingClient({ base_model: "base" });
    const saved = await training.saveWeightsAndGetSamplingClient();
    const sampler = await service.createSamplingClient({ base_model: "base" });
    for (const client of [training, saved, sampler]) {
      expect((await client.getTokenizer()).encode("world")).toEqual([1]);
    }
  });
});

describe("a tokenizer directory that a server names", () => {
  it.each(["http://localhost:1", "http://127.0.0.2:1", "http://[::1]:1", "http://a.localhost:1"])(
    "is read for a server on this machine: %s",
    async (baseUrl) => {
      const directory = await modelDirectory();
      for (const model of [
        { modelName: "m", tokenizerId: directory },
        { modelName: directory, tokenizerId: undefined },
      ]) {
        expect((await modelTokenizer(undefined, model, baseUrl)).encode("world")).toEqual([1]);
      }
    },
  );

  it.each([
    REMOTE,
    "http://192.168.0.7:8000",
    "http://0.0.0.0:8000",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    undefined,
  ])("is refused for any other: %s", async (baseUrl) => {
    const directory = await modelDirectory();
    for (const model of [
      { modelName: "m", tokenizerId: directory },
      { modelName: directory, tokenizerId: undefined },
      { modelName: directory, tokenizerId: "Qwen/Qwen3-8B" },
      { modelName: "m", tokenizerId: `${directory}/../${directory.split("/").at(-1)}` },
    ]) {
      const refused = modelTokenizer(undefined, model, baseUrl);
      await expect(refused).rejects.toBeInstanceOf(ValidationError);
      await expect(refused).rejects.toThrow(
        /names a directory for its tokenizer, which only a server on this machine may: give the option tokenizer/,
      );
    }
  });

  it("is refused alike whether it is there or not: the server learns nothing", async () => {
    const message = async (tokenizerId: string): Promise<string> =>
      modelTokenizer(undefined, { modelName: "m", tokenizerId }, REMOTE).then(
        () => "loaded",
        (error: Error) => error.message,
      );
    expect(await message("/nowhere/model")).toBe(await message(await modelDirectory()));
  });

  it.each([
    "../models/one",
    "./one",
    "..",
    ".",
    "~/models/one",
    "~user/models/one",
    "\\\\server\\share\\one",
    "//server/share/one",
    "\\models\\one",
    "C:\\models\\one",
    "C:/models/one",
    "file:///models/one",
    "FILE:/models/one",
    "org/../../models/one",
    "org\\..\\..\\one",
    "/models/\0/one",
  ])(
    "is refused for another server when it is written as %j, and not read for one on this machine",
    async (place) => {
      for (const model of [
        { modelName: "m", tokenizerId: place },
        { modelName: place, tokenizerId: undefined },
      ]) {
        await expect(modelTokenizer(undefined, model, REMOTE)).rejects.toThrow(
          /names a directory for its tokenizer/,
        );
        await expect(modelTokenizer(undefined, model, LOCAL)).rejects.toThrow(/is not on this machine/);
      }
    },
  );

  it.each(["//", "/./", "/", "relative"])(
    "by a form of it that another system would read elsewhere is not read: %s",
    async (form) => {
      const directory = await modelDirectory();
      const place = form === "relative" ? relative(process.cwd(), directory) : `${form}${directory.slice(1)}`;
      const loading = modelTokenizer(undefined, { modelName: "m", tokenizerId: place }, LOCAL);
      if (form === "/" || form === "/./") expect((await loading).encode("world")).toEqual([1]);
      else await expect(loading).rejects.toThrow(/is not on this machine/);
    },
  );

  it.each(["Qwen/Qwen3-8B", "base", "org/name.v2", "org/..name"])(
    "is none when it is a name: %s",
    async (name) => {
      await expect(modelTokenizer(undefined, { modelName: name, tokenizerId: name }, REMOTE)).rejects.toThrow(
        // Offline, so the hub's cache is looked for, or the name is no repository's; no directory is.
        name === "org/..name" ? /is not the name of a Hugging Face repository/ : /HF_HUB_OFFLINE|offline/,
      );
    },
  );

  it("is refused by clients of a service elsewhere, whatever way they learnt it", async () => {
    const { stub } = await openService();
    const directory = await modelDirectory();
    stub.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: "base", tokenizer_id: directory } },
    }));
    const elsewhere = await openService({
      baseUrl: undefined,
      apiKey: undefined,
      hooks: undefined,
      env: { TINKER_BASE_URL: REMOTE },
      transport: createTransport({ baseUrl: stub.url }),
    });
    const training = await elsewhere.service.createLoraTrainingClient({ base_model: "base" });
    const saved = await training.saveWeightsAndGetSamplingClient();
    const sampler = await elsewhere.service.createSamplingClient({ base_model: "base" });
    for (const client of [training, saved, sampler]) {
      await expect(client.getTokenizer()).rejects.toThrow(/names a directory for its tokenizer/);
    }
  });
});

describe("a tokenizer of the hub", () => {
  it("is downloaded by its model's name when nothing else was said, as the official SDK does, and kept", async () => {
    const hub = await startHub();
    const { stub, service } = await openService({ env: hub.env });
    stub.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: "Qwen/Qwen3-8B" } },
    }));
    const training = await service.createLoraTrainingClient({ base_model: "Qwen/Qwen3-8B" });
    expect((await training.getTokenizer()).encode("hello world")).toEqual([0, 1]);
    expect(new Set(hub.asked.map((line) => line.split(" ", 1)[0]))).toEqual(new Set(["Qwen/Qwen3-8B"]));
    // Offline the cache is enough.
    const later = await openService({
      env: { ...hub.env, HF_HUB_OFFLINE: "1", HF_ENDPOINT: "http://127.0.0.1:9" },
    });
    const sampler = await later.service.createSamplingClient({ base_model: "Qwen/Qwen3-8B" });
    expect((await sampler.getTokenizer()).encode("world")).toEqual([1]);
  });

  it("is the one that the service names, and for Llama 3 the one without a login", async () => {
    const hub = await startHub();
    const at = (modelName: string, tokenizerId?: string) =>
      modelTokenizer(undefined, { modelName, tokenizerId }, REMOTE, hub.env);
    await at("org/base:peft:131072", "org/other");
    await at("meta-llama/Llama-3.2-1B");
    await at("org/base/variant");
    expect([...new Set(hub.asked.map((line) => line.split(" ", 1)[0]))]).toEqual([
      "org/other",
      "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer",
      "org/base",
    ]);
  });

  it("is one object for each model, whoever asks: training and sampling clients, at once or later", async () => {
    const hub = await startHub();
    const { stub, service } = await openService({ env: hub.env });
    stub.on("get_info", ({ json }) => ({
      body: { model_id: json?.model_id, model_data: { model_name: "org/one", tokenizer_id: "org/one" } },
    }));
    const training = await service.createLoraTrainingClient({ base_model: "org/one" });
    const saved = await training.saveWeightsAndGetSamplingClient();
    const sampler = await service.createSamplingClient({ base_model: "org/one" });
    const asked = [training, training, saved, sampler].map((client) => client.getTokenizer());
    const [first, ...others] = await Promise.all([...asked, sampler.getTokenizer()]);
    for (const other of others) expect(other).toBe(first);
    const { length } = hub.asked;
    expect(await training.getTokenizer()).toBe(first);
    expect(hub.asked).toHaveLength(length);
    const other = await service.createSamplingClient({ base_model: "org/two" });
    expect(await other.getTokenizer()).not.toBe(first);
  });

  it("is downloaded through the fetch that the service client was given, and so is that of a sampler of another model", async () => {
    const hub = await startHub();
    const fetched: string[] = [];
    const { service } = await openService({
      env: hub.env,
      fetch: (input, init) => {
        fetched.push(new URL(input instanceof Request ? input.url : input).origin);
        return fetch(input, init);
      },
    });
    for (const base_model of ["org/one", "org/two"]) {
      const before = hub.asked.length;
      const sampler = await service.createSamplingClient({ base_model });
      expect((await sampler.getTokenizer()).encode("hello world")).toEqual([0, 1]);
      expect(hub.asked.length).toBeGreaterThan(before);
    }
    expect(fetched.filter((origin) => origin === hub.env.HF_ENDPOINT)).toHaveLength(hub.asked.length);
  });

  it("goes through that fetch where getTokenizer of the package is given too, and not where a loader of one's own is", async () => {
    const hub = await startHub();
    let count = 0;
    const counting: typeof fetch = (input, init) => {
      count += 1;
      return fetch(input, init);
    };
    const model = { id: "S", modelName: "org/one", tokenizerId: undefined };
    const environment = { baseUrl: REMOTE, env: hub.env, fetch: counting };
    await loadModelTokenizer(model, { ...environment, own: getTokenizer });
    expect(count).toBe(hub.asked.length);
    expect(await loadModelTokenizer(model, { ...environment, own: async () => own })).toBe(own);
    expect(count).toBe(hub.asked.length);
  });

  it("says to the client's logger that its cache stands in for a hub out of reach", async () => {
    const hub = await startHub();
    const model = { id: "S", modelName: "org/one", tokenizerId: undefined };
    await loadModelTokenizer(model, { own: undefined, baseUrl: REMOTE, env: hub.env });
    const logger = new RecordingLogger();
    const unreachable: typeof fetch = () => Promise.reject(new TypeError("fetch failed"));
    const tokenizer = await loadModelTokenizer(model, {
      own: undefined,
      baseUrl: REMOTE,
      env: hub.env,
      fetch: unreachable,
      logger,
      clock: new FakeClock({ autoAdvance: true }),
    });
    expect(tokenizer.encode("world")).toEqual([1]);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]).toMatch(/^warn: .*org\/one/);
  });

  it("is not asked for where the program has registered a tokenizer, whatever fetch and environment are", async () => {
    const hub = await startHub();
    onTestFinished(registerTokenizer("org/registered", () => own as never));
    const { service } = await openService({ env: hub.env, fetch: (input, init) => fetch(input, init) });
    const sampler = await service.createSamplingClient({ base_model: "org/registered" });
    expect(await sampler.getTokenizer()).toBe(own);
    expect(hub.asked).toEqual([]);
  });

  it("that failed is tried anew, and names the model in the error", async () => {
    const hub = await startHub();
    const { service } = await openService({ env: { ...hub.env, HF_HUB_OFFLINE: "1" } });
    const sampler = await service.createSamplingClient({ base_model: "org/absent" });
    await expect(sampler.getTokenizer()).rejects.toThrow(/org\/absent/);
    await expect(sampler.getTokenizer()).rejects.toThrow(/org\/absent/);
  });
});

describe("a loader of the caller's", () => {
  it("is called once for each model, by however many clients, and again after it failed", async () => {
    const calls: unknown[] = [];
    const { service } = await openService({
      tokenizer: async (modelName, { tokenizerId }) => {
        calls.push([modelName, tokenizerId]);
        if (calls.length === 1) throw new Error("busy");
        return { ...own };
      },
    });
    const training = await service.createLoraTrainingClient({ base_model: "base" });
    const saved = await training.saveWeightsAndGetSamplingClient();
    await expect(training.getTokenizer()).rejects.toThrow("busy");
    const [one, two, three] = await Promise.all([
      training.getTokenizer(),
      training.getTokenizer(),
      saved.getTokenizer(),
    ]);
    expect(two).toBe(one);
    expect(three).toBe(one);
    expect(calls).toEqual([
      ["base", "base"],
      ["base", "base"],
    ]);
  });

  it("may be getTokenizer of @tinkex/tokenizer/node, which then refuses a remote server's directories too", async () => {
    const hub = await startHub();
    const { service } = await openService({ tokenizer: getTokenizer, env: hub.env });
    const sampler = await service.createSamplingClient({ base_model: "org/model" });
    expect((await sampler.getTokenizer()).encode("world")).toEqual([1]);
    const directory = await modelDirectory();
    for (const model of [
      { modelName: directory, tokenizerId: undefined },
      { modelName: "m", tokenizerId: directory },
    ]) {
      await expect(modelTokenizer(getTokenizer, model, REMOTE)).rejects.toThrow(/names a directory/);
    }
  });

  it("is told when the service client closes", async () => {
    let signal: AbortSignal | undefined;
    const { service } = await openService({
      tokenizer: (_, options) => {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    const sampler = await service.createSamplingClient({ base_model: "b" });
    const waiting = sampler.getTokenizer();
    const outcome = expect(waiting).rejects.toMatchObject({ code: "closed" });
    await until(() => signal !== undefined, "the loader");
    await service.close();
    await outcome;
    expect(signal?.aborted).toBe(true);
  });
});

it("a sampler of a base model on this machine finds the directory that the server's capabilities name", async () => {
  const directory = await modelDirectory();
  const { stub, service } = await openService();
  stub.on("get_server_capabilities", () => ({
    body: {
      supported_models: [{ model_name: "local/one", tokenizer_id: directory }, { model_name: "other" }],
    },
  }));
  const sampler = await service.createSamplingClient({ base_model: "local/one" });
  expect((await sampler.getTokenizer()).encode("world")).toEqual([1]);
  await sampler.getTokenizer();
  expect(stub.seen("get_server_capabilities")).toHaveLength(1);
});

it("a sampler of a base model that another one stands in for takes the tokenizer of that one", async () => {
  const directory = await modelDirectory();
  const { stub, service } = await openService();
  const supported_models = [{ model_name: "local/one", tokenizer_id: directory, stands_in: true }];
  stub.on("get_server_capabilities", () => ({ body: { supported_models } }));
  const sampler = await service.createSamplingClient({ base_model: "acme/large" });
  expect((await sampler.getTokenizer()).encode("world")).toEqual([1]);
});

it("says how to install the tokenizer package where it is not", async () => {
  const end = await runScript(
    `
    const { loadModelTokenizer } = await import(${JSON.stringify(new URL("./model-tokenizer.ts", import.meta.url).href)});
    const model = { id: "m", modelName: "org/model", tokenizerId: undefined };
    await loadModelTokenizer(model, { own: undefined, baseUrl: ${JSON.stringify(REMOTE)}, env: {} })
      .catch((error) => console.log(error.name, error.message));
  `,
    {},
    ["@tinkex/tokenizer", "@tinkex/tokenizer/*"],
  );
  expect(end.stdout).toMatch(
    /^ValidationError getTokenizer needs the package @tinkex\/tokenizer, which is not installed: npm install @tinkex\/tokenizer/,
  );
}, 60_000);
