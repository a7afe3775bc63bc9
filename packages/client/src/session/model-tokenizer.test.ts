import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type Tokenizer, ValidationError } from "@tinkex/base";
import { createTransport } from "@tinkex/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService } from "../testing/open-service.js";
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

/** A directory with the smallest tokenizer there is: two words. */
async function modelDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tinkex-tokenizer-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const tokenizer = {
    version: "1.0",
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "WhitespaceSplit" },
    post_processor: null,
    decoder: null,
    model: { type: "WordLevel", vocab: { hello: 0, world: 1 }, unk_token: "hello" },
  };
  await writeFile(join(directory, "tokenizer.json"), JSON.stringify(tokenizer));
  return directory;
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
