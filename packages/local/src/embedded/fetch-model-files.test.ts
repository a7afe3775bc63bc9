import { ConnectionError, ResponseError, ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { fetchModelFiles } from "./fetch-model-files.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const settings = { "config.json": "{}", "tokenizer.json": "{}" };

/** A server of these files below `https://models.test/pocket/`. */
function serving(files: Readonly<Record<string, string>>, status = 404): typeof fetch {
  return async (address) => {
    const name = String(address).replace("https://models.test/pocket/", "");
    const text = files[name];
    return text === undefined ? new Response(null, { status }) : new Response(text);
  };
}

describe("fetchModelFiles", () => {
  it.each(["https://models.test/pocket", "https://models.test/pocket/"])(
    "gets what is at %s",
    async (url) => {
      const files = { ...settings, "tokenizer_config.json": "{}", "model.safetensors": "weights" };
      expect(await fetchModelFiles(url, { fetch: serving(files) })).toEqual(
        Object.fromEntries(Object.entries(files).map(([name, text]) => [name, bytes(text)])),
      );
    },
  );

  it("gets every file that the index of the weights names, once", async () => {
    const shards = { "a.safetensors": "1", "b.safetensors": "2" };
    const weight_map = { x: "a.safetensors", y: "b.safetensors", z: "a.safetensors" };
    const index = { "model.safetensors.index.json": JSON.stringify({ weight_map }) };
    const fetch = serving({ ...settings, ...index, ...shards });
    expect(await fetchModelFiles(new URL("https://models.test/pocket/"), { fetch })).toEqual({
      "config.json": bytes("{}"),
      "tokenizer.json": bytes("{}"),
      "a.safetensors": bytes("1"),
      "b.safetensors": bytes("2"),
    });
  });

  it.each([
    ["config.json", { "tokenizer.json": "{}", "model.safetensors": "w" }, "config.json must be there"],
    ["weights", settings, "model.safetensors.index.json must be there, got status 404"],
  ])("says that there is no %s", async (_, files, message) => {
    const fetching = fetchModelFiles("https://models.test/pocket", { fetch: serving(files) });
    await expect(fetching).rejects.toThrow(ResponseError);
    await expect(fetching).rejects.toThrow(message);
  });

  it("says which status ended it", async () => {
    const fetching = fetchModelFiles("https://models.test/pocket", { fetch: serving({}, 503) });
    await expect(fetching).rejects.toThrow(/json must be there, got status 503$/);
  });

  it("names the index that is none", async () => {
    const files = { ...settings, "model.safetensors.index.json": '{"weight_map":[]}' };
    const fetching = fetchModelFiles("https://models.test/pocket", { fetch: serving(files) });
    await expect(fetching).rejects.toThrow(ValidationError);
    await expect(fetching).rejects.toThrow("model.safetensors.index.json is not as expected");
  });

  it("tells a lost connection from an end that was asked for", async () => {
    const fetch = () => Promise.reject(new TypeError("fetch failed"));
    await expect(fetchModelFiles("https://models.test/pocket", { fetch })).rejects.toThrow(ConnectionError);
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await expect(fetchModelFiles("https://models.test/pocket", { fetch, signal })).rejects.toBe(reason);
  });

  it.each(["/models/pocket", "file:///models/pocket"])(
    "says of %s that files of this machine are not downloaded",
    async (folder) => {
      await expect(fetchModelFiles(folder)).rejects.toThrow(
        /cannot download .*; a download needs an http URL, .* give openModel the bytes/,
      );
    },
  );
});
