import { readdirSync, readFileSync } from "node:fs";
import { fetchModelFiles, openModel } from "@tinkex/local/engine";
import { call, type PublicCalls } from "../public-call.js";

const TINY = new URL("../../../packages/local/fixtures/numerics/models/tiny-llama/", import.meta.url);

/** The engine without a server, with a very small model. */
export const engineCalls: PublicCalls = {
  fetchModelFiles: call(
    (...args: Parameters<typeof fetchModelFiles>) => fetchModelFiles(...args),
    () => [
      "http://127.0.0.1:9/model/",
      { signal: new AbortController().signal, fetch: async () => new Response("{}") },
    ],
  ),
  openModel: call(
    (...args: Parameters<typeof openModel>) => openModel(...args),
    () => [
      Object.fromEntries(
        readdirSync(TINY).map((name) => [name, new Uint8Array(readFileSync(new URL(name, TINY)))]),
      ),
      { runtime: "wasm", threads: 1, runtimeFolder: "http://127.0.0.1:9/runtime/", random: () => 0.5 },
    ],
  ),
};
