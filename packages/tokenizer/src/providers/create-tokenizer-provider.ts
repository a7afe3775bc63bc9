import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import {
  ApiStatusError,
  ConnectionError,
  checkFunction,
  checkKnownNames,
  checkString,
  errorMessage,
  systemClock,
  type Tokenizer,
  ValidationError,
  type WaitLimits,
  waitWithin,
} from "@tinkex/base";
import { loadTokenizer } from "../files/load-tokenizer.js";
import { FROM_HUB_OPTIONS, type FromHubOptions, fromHub } from "../hub/from-hub.js";
import { type ResolvedTokenizer, resolveTokenizer } from "../sources/resolve-tokenizer.js";
import { TokenizerRegistry } from "../sources/tokenizer-registry.js";
import type { TokenizerSource } from "../sources/tokenizer-source.js";
import { PromiseCache } from "./promise-cache.js";

/** Parts of a {@link TokenizerProvider}. */
export interface TokenizerProviderOptions extends FromHubOptions {
  /** Sources to ask first. @defaultValue an empty registry */
  readonly registry?: TokenizerRegistry;
  /** The source for everything else. @defaultValue {@link fromHub} with the settings given here */
  readonly source?: TokenizerSource;
}

const PROVIDER_OPTIONS: Readonly<Record<keyof TokenizerProviderOptions, true>> = {
  ...FROM_HUB_OPTIONS,
  registry: true,
  source: true,
};

/** The tokenizer to get, and the time to wait for it. */
export interface GetTokenizerOptions extends WaitLimits {
  /** The tokenizer that the service names for the model; without it the model's name decides. */
  readonly tokenizerId?: string | null;
  /** A branch, tag or commit. @defaultValue the pinned commit where there is one, else the source's default */
  readonly revision?: string;
  /** The source to take it from, registered ones aside. */
  readonly source?: TokenizerSource;
}

/** Gets tokenizers by the name of their model. */
export interface TokenizerProvider {
  /**
   * The tokenizer of a model, or of a directory that holds a `tokenizer.json`. What a source gave is kept (the 32 used
   * last, of each source), calls at the same time share one load, and a failed one is tried anew. A load for which
   * nobody waits any more is aborted.
   *
   * @throws ValidationError when the model needs a source that is not registered, or the directory has no tokenizer;
   * AbortedError or TimeoutError when the wait ended first; and what the source throws.
   */
  getTokenizer(modelOrPath: string, options?: GetTokenizerOptions): Promise<Tokenizer>;
  readonly registry: TokenizerRegistry;
}

/** As many as the Python SDK keeps. */
const KEPT_TOKENIZERS = 32;

const OPTIONS: Readonly<Record<keyof GetTokenizerOptions, true>> = {
  tokenizerId: true,
  revision: true,
  source: true,
  signal: true,
  timeoutMs: true,
};

/** Makes a provider with a cache of its own. */
export function createTokenizerProvider(options: TokenizerProviderOptions = {}): TokenizerProvider {
  checkKnownNames(options, PROVIDER_OPTIONS, "the options of createTokenizerProvider");
  const { registry = new TokenizerRegistry(), source: given, ...hub } = options;
  const { clock = systemClock } = hub;
  const kept = new WeakMap<TokenizerSource, PromiseCache<Tokenizer>>();
  // Made when first needed: a program with sources of its own need not have sound settings for the hub.
  let defaultSource = given;

  async function load(
    source: TokenizerSource,
    id: string,
    revision: string | undefined,
    signal: AbortSignal,
  ): Promise<Tokenizer> {
    const tokenizer = await source({ id, ...(revision === undefined ? {} : { revision }), signal });
    if (tokenizer !== undefined) return tokenizer;
    const version = revision === undefined ? "" : ` at revision ${revision}`;
    throw new ValidationError(
      `getTokenizer: the source asked has no tokenizer ${JSON.stringify(id)}${version}`,
    );
  }

  function sourceOf(resolved: ResolvedTokenizer): TokenizerSource {
    if (resolved.needsRemoteCode) throw unloadable(resolved);
    defaultSource ??= fromHub(hub);
    return defaultSource;
  }

  async function find(
    modelOrPath: string,
    { tokenizerId, revision: wanted, source: given }: GetTokenizerOptions,
    over: AbortSignal,
  ): Promise<Tokenizer> {
    if (isWrittenAsPath(modelOrPath)) return loadTokenizer(modelOrPath);
    const resolved = resolveTokenizer(modelOrPath, tokenizerId);
    const chosen = given ?? registry.find(modelOrPath, resolved.id);
    if (
      chosen === undefined &&
      (tokenizerId ?? undefined) === undefined &&
      (await isTokenizerDirectory(modelOrPath))
    ) {
      return loadTokenizer(modelOrPath);
    }
    const source = chosen ?? sourceOf(resolved);
    const revision = wanted ?? resolved.revision;
    let cache = kept.get(source);
    if (cache === undefined) {
      cache = new PromiseCache(KEPT_TOKENIZERS);
      kept.set(source, cache);
    }
    // The wait may have ended while the directory was looked for; then nobody is left to wait for the load.
    over.throwIfAborted();
    const key = `${resolved.id}@${revision ?? ""}`;
    const loading = cache.get(key, (signal) => load(source, resolved.id, revision, signal), over);
    const isBuiltIn = chosen === undefined && given === undefined && resolved.id.startsWith(BUILT_IN);
    return isBuiltIn ? loading.catch((cause) => Promise.reject(builtInElsewhere(resolved, cause))) : loading;
  }

  return {
    registry,
    async getTokenizer(modelOrPath, wanted = {}) {
      checkString(modelOrPath, "getTokenizer: modelOrPath", "Qwen/Qwen3-8B");
      checkKnownNames(wanted, OPTIONS, "the options of getTokenizer");
      if (wanted.source !== undefined) checkFunction(wanted.source, "getTokenizer: source");
      if (wanted.revision !== undefined) checkString(wanted.revision, "getTokenizer: revision", "main");
      const what = `loading the tokenizer of ${modelOrPath}`;
      return waitWithin(wanted, clock, what, (over) => find(modelOrPath, wanted, over));
    },
  };
}

/** Tells a path from a name. One with the letter of a drive is one on every system: a colon in a name begins a variant. */
function isWrittenAsPath(name: string): boolean {
  return isAbsolute(name) || /^(\.{1,2}([\\/]|$)|[A-Za-z]:[\\/])/.test(name);
}

/** As in Python, a directory of a model's name stands for the model. */
async function isTokenizerDirectory(name: string): Promise<boolean> {
  return stat(join(name, "tokenizer.json")).then(
    () => true,
    () => false,
  );
}

/** Beginning of the names of models that the local server brings along. */
const BUILT_IN = "tinkex/";

/** Says where the tokenizer of a built-in model is, after the hub could not give it: only that of the local server has it. */
function builtInElsewhere({ id }: ResolvedTokenizer, cause: unknown): unknown {
  // A cache that cannot be written, say, has a message of its own.
  if (!(cause instanceof ApiStatusError || cause instanceof ConnectionError)) return cause;
  return new ValidationError(
    `getTokenizer: ${id} comes with the local server, and no public hub has it (${errorMessage(cause)}); ask a client of the server, await training.getTokenizer(), or set HF_ENDPOINT to the server's URL`,
    { cause },
  );
}

function unloadable({ id }: ResolvedTokenizer): ValidationError {
  return new ValidationError(
    `the tokenizer ${id} is in no public repository (Python has it in the package tml-renderers); register a source that gives your own: registerTokenizer(${JSON.stringify(id)}, () => tokenizer)`,
  );
}
