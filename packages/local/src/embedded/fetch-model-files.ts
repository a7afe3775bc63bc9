import { ConnectionError, checkKnownNames, ResponseError, ValidationError } from "@tinkex/base";
import { z } from "zod";
import { mapOf } from "../json/bounded-collections.js";
import { checkJson, parseJson } from "../json/parse-json.js";
import type { ModelFiles } from "../model/model-in-memory.js";

export interface FetchModelOptions {
  /** Ends the download. */
  readonly signal?: AbortSignal | undefined;
  /** @defaultValue the global `fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

const WEIGHTS = "model.safetensors";
const INDEX = "model.safetensors.index.json";
const indexSchema = z.object({ weight_map: mapOf(z.string()) });

/**
 * Downloads the files of a model directory, for {@link openModel}. A server answers 404 for those that a model need not have.
 *
 * @param url - of the folder, with or without `/` at the end; relative to the page in a browser
 * @throws ResponseError when a file that every model has cannot be had; ConnectionError; ValidationError when the index of the
 * weights is none
 */
export async function fetchModelFiles(
  url: string | URL,
  options: FetchModelOptions = {},
): Promise<ModelFiles> {
  if (typeof url !== "string" && !(url instanceof URL)) {
    throw new ValidationError("fetchModelFiles: url must be a string or a URL, e.g. /model/");
  }
  checkKnownNames(options, { signal: true, fetch: true }, "the options of fetchModelFiles");
  const { signal, fetch } = options;
  if (fetch !== undefined && typeof fetch !== "function") {
    throw new ValidationError("fetchModelFiles: options.fetch must be a function as the global one");
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new ValidationError("fetchModelFiles: options.signal must be an AbortSignal");
  }
  const folder = String(url).endsWith("/") ? String(url) : `${url}/`;
  const settings = ["config.json", "tokenizer.json"].map((name) => required(folder, name, options));
  const others = ["generation_config.json", "tokenizer_config.json"].map((name) =>
    download(folder, name, options),
  );
  const files = await Promise.all([...settings, ...others, weights(folder, options)]);
  return Object.assign({}, ...files);
}

const FILES_REMEDY =
  "a download needs an http URL, whole outside of a page; give openModel the bytes of files on this machine by their names";

/** Tells whether an address is more than a path of this machine. In a page a path is that of its server. */
function isDownloadable(address: string): boolean {
  if (!URL.canParse(address)) return "location" in globalThis;
  return new URL(address).protocol !== "file:";
}

async function weights(folder: string, options: FetchModelOptions): Promise<ModelFiles> {
  const single = await download(folder, WEIGHTS, options);
  if (single !== undefined) return single;
  const index = await required(folder, INDEX, options);
  const value = parseJson(new TextDecoder().decode(index[INDEX]), INDEX);
  const { weight_map } = checkJson({ file: INDEX, value }, indexSchema);
  const shards = new Set(Object.values(weight_map));
  return Object.assign(
    {},
    ...(await Promise.all([...shards].map((name) => required(folder, name, options)))),
  );
}

async function required(folder: string, name: string, options: FetchModelOptions): Promise<ModelFiles> {
  const found = await download(folder, name, options);
  if (found !== undefined) return found;
  throw new ResponseError(
    `fetchModelFiles: ${folder}${name} must be there, got status 404; name the folder of the model's files`,
  );
}

async function download(
  folder: string,
  name: string,
  { signal, fetch = globalThis.fetch }: FetchModelOptions,
): Promise<ModelFiles | undefined> {
  const address = `${folder}${name}`;
  try {
    const response: unknown = await fetch(address, signal === undefined ? {} : { signal });
    if (!(response instanceof Response)) {
      throw new ValidationError("fetchModelFiles: options.fetch must give a Response");
    }
    if (response.status === 404) return undefined;
    if (response.ok) return { [name]: new Uint8Array(await response.arrayBuffer()) };
    throw new ResponseError(`fetchModelFiles: ${address} must be there, got status ${response.status}`);
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    if (cause instanceof ResponseError || cause instanceof ValidationError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    const remedy = isDownloadable(address) ? "try again" : FILES_REMEDY;
    throw new ConnectionError(`fetchModelFiles: cannot download ${address} (${why}); ${remedy}`, {
      attempts: 1,
      cause,
    });
  }
}
