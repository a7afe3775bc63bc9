import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Clock, isPackageMissing, type Logger, type Tokenizer, ValidationError } from "@tinkex/base";
import { isLoopback } from "@tinkex/http";
import type { OperationContext } from "../future/operation-context.js";
import type { ApiCalls } from "./api-calls.js";

/**
 * Gives the tokenizer of a model. `getTokenizer` of `@tinkex/tokenizer/node` is one. What the service says of the model goes in as
 * it is: a name is the server's word, and no path to open unseen.
 *
 * @param modelName - e.g. `Qwen/Qwen3-8B`
 * @param options - `tokenizerId`: the tokenizer that the service names for the model, if it names one; `signal`: aborts when the
 *   service client is closed
 */
export type TokenizerLoader = (
  modelName: string,
  options: { readonly tokenizerId?: string; readonly signal?: AbortSignal },
) => Tokenizer | Promise<Tokenizer>;

/** The model whose tokenizer is wanted. */
export interface TokenizedModel {
  /** The id of the model or sampler on the service. */
  readonly id: string;
  /** As the service gives it, where it does. */
  readonly modelName: string | undefined;
  readonly tokenizerId: string | undefined;
}

/** The parts that finding tokenizers works with. */
export interface TokenizerEnvironment {
  /** The caller's own tokenizer, or what loads one. */
  readonly own: Tokenizer | TokenizerLoader | undefined;
  /** The address of the server; `undefined` when it is not known. */
  readonly baseUrl: string | undefined;
  /** Settings of the hub. @defaultValue those of the process */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Downloads from the hub. @defaultValue `globalThis.fetch` */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Told when the cache stands in for a hub that is out of reach. */
  readonly logger?: Logger | undefined;
  /** @defaultValue the machine's time */
  readonly clock?: Clock | undefined;
  /** Ends downloads. */
  readonly signal?: AbortSignal | undefined;
}

/** The tokenizers of a session's models, one object for each model, and what the server has said of them so far. */
export class ModelTokenizers {
  readonly #environment: TokenizerEnvironment;
  readonly #ids = new Map<string, string>();
  readonly #loaded = new Map<string, Promise<Tokenizer>>();
  readonly #hubLoader: HubLoaderSource;

  constructor(environment: TokenizerEnvironment) {
    this.#environment = environment;
    this.#hubLoader = hubLoaderOf(environment);
  }

  /** Keeps the tokenizer's name of a base model: samplers of the same model are not told it. */
  learn(modelName: string, tokenizerId: string): void {
    this.#ids.set(modelName, tokenizerId);
  }

  /**
   * Gives the tokenizer: calls at the same time share one load, and a failed one is tried anew.
   *
   * @throws ValidationError when the tokenizer is not to be had, saying what to pass; what the hub or the caller's function throws
   */
  async get(model: TokenizedModel, session: ApiCalls, context: OperationContext): Promise<Tokenizer> {
    const { own } = this.#environment;
    if (own !== undefined && !isLoader(own)) return own;
    const { id, modelName } = model;
    if (model.tokenizerId === undefined && modelName !== undefined)
      await this.#ask(modelName, session, context);
    const tokenizerId = model.tokenizerId ?? this.#ids.get(modelName ?? id);
    const key = JSON.stringify([modelName ?? id, tokenizerId]);
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const loading = loadModelTokenizer({ id, modelName, tokenizerId }, this.#environment, this.#hubLoader);
    this.#loaded.set(key, loading);
    loading.catch(() => this.#loaded.delete(key));
    return loading;
  }

  /** Asks a server on this machine for the directory of a base model's tokenizer, which only a training run is told else. */
  async #ask(modelName: string, session: ApiCalls, context: OperationContext): Promise<void> {
    const { baseUrl } = this.#environment;
    if (this.#ids.has(modelName) || baseUrl === undefined || !isLoopback(baseUrl)) return;
    const { supported_models } = await session.call("get_server_capabilities", undefined, context);
    for (const { model_name, tokenizer_id } of supported_models) {
      if (model_name !== undefined && tokenizer_id !== undefined) this.learn(model_name, tokenizer_id);
    }
    const standIn = supported_models.find(({ stands_in }) => stands_in === true)?.tokenizer_id;
    if (standIn !== undefined && !this.#ids.has(modelName)) this.learn(modelName, standIn);
  }
}

/**
 * Loads the tokenizer of a model: the caller's own; else that of a model directory on this machine, which only a server on this
 * machine may name, for any other would choose which of our files are read; else from the Hugging Face hub and its cache, as the
 * official SDK does.
 *
 * @throws ValidationError when neither is to be had, saying what to pass; what the hub or the caller's function throws
 */
export async function loadModelTokenizer(
  model: TokenizedModel,
  environment: TokenizerEnvironment,
  hubLoader: HubLoaderSource = hubLoaderOf(environment),
): Promise<Tokenizer> {
  const { own, baseUrl, signal } = environment;
  const { id, modelName, tokenizerId } = model;
  const limits = signal === undefined ? {} : { signal };
  if (own !== undefined && !isLoader(own)) return own;
  if (own !== undefined && !(await isOfTheHub(own))) {
    return own(modelName ?? id, { ...(tokenizerId === undefined ? {} : { tokenizerId }), ...limits });
  }
  const names = [tokenizerId, modelName].filter((name) => name !== undefined);
  if (baseUrl === undefined || !isLoopback(baseUrl)) refusePlaces(names);
  const tokenizers = await tokenizerPackage();
  const directory = names.find(isModelDirectory);
  if (directory !== undefined) return tokenizers.loadTokenizer(directory);
  if (modelName === undefined || names.some(isWrittenAsPlace)) throw notHere(modelName ?? id);
  // Under the name of a repository nothing is looked for in the working directory, which the server would choose otherwise.
  const { resolveTokenizer } = await import("@tinkex/tokenizer");
  return hubLoader(tokenizers)(modelName, {
    tokenizerId: resolveTokenizer(modelName, tokenizerId).id,
    ...limits,
  });
}

type TokenizerPackage = typeof import("@tinkex/tokenizer/node");

/** Gives what loads tokenizers from the hub, made of the package when it is first needed. */
type HubLoaderSource = (tokenizers: TokenizerPackage) => TokenizerPackage["getTokenizer"];

/**
 * Makes the loader of one service client. One cache serves all clients that have neither a fetch nor an environment of their own;
 * the others have one each, and find what the program has registered all the same.
 */
function hubLoaderOf({ env, fetch, logger, clock }: TokenizerEnvironment): HubLoaderSource {
  if (env === undefined && fetch === undefined) return ({ getTokenizer }) => getTokenizer;
  let load: TokenizerPackage["getTokenizer"] | undefined;
  return ({ createTokenizerProvider, registeredTokenizers }) => {
    load ??= createTokenizerProvider({
      registry: registeredTokenizers,
      ...(env === undefined ? {} : { env }),
      ...(fetch === undefined ? {} : { fetch }),
      ...(logger === undefined ? {} : { logger }),
      ...(clock === undefined ? {} : { clock }),
    }).getTokenizer;
    return load;
  };
}

/** Loads the package when it is first needed: bundlers may leave it out where no tokenizer is used. */
async function tokenizerPackage(): Promise<TokenizerPackage> {
  try {
    return await import("@tinkex/tokenizer/node");
  } catch (cause) {
    if (!isPackageMissing("@tinkex/tokenizer", cause)) throw cause;
    throw new ValidationError(
      "getTokenizer needs the package @tinkex/tokenizer, which is not installed: npm install @tinkex/tokenizer, or give the " +
        "option tokenizer to ServiceClient",
      { path: ["tokenizer"], cause },
    );
  }
}

function isLoader(own: Tokenizer | TokenizerLoader | undefined): own is TokenizerLoader {
  return typeof own === "function";
}

/** Tells whether the caller's function is the package's own, which is used with the same care whether it is given or not. */
async function isOfTheHub(own: TokenizerLoader): Promise<boolean> {
  const { getTokenizer } = await tokenizerPackage().catch(() => ({ getTokenizer: undefined }));
  return own === getTokenizer;
}

function notHere(modelName: string): ValidationError {
  return new ValidationError(
    `the tokenizer of ${modelName} is not on this machine: give the option tokenizer to ServiceClient, a Tokenizer or a function ` +
      "that loads one",
    { path: ["tokenizer"] },
  );
}

/** Nothing is looked for first, so that the server does not learn what is here. */
function refusePlaces(names: readonly string[]): void {
  if (!names.some(isWrittenAsPlace)) return;
  throw new ValidationError(
    "the server names a directory for its tokenizer, which only a server on this machine may: give the option tokenizer " +
      "to ServiceClient, a Tokenizer or a function that loads one",
    { path: ["tokenizer"] },
  );
}

/** Names of models have slashes within them; everything else is a place, by the rules of some system. */
function isWrittenAsPlace(name: string): boolean {
  const segments = name.split("/");
  return (
    /^([/~]|file:|[a-z]:\/)/i.test(name) ||
    name.includes("\\") ||
    segments.includes(".") ||
    segments.includes("..")
  );
}

/** Names of models are no paths, so only absolute ones are looked at, and none that Windows would take for another machine's. */
function isModelDirectory(path: string): boolean {
  return isAbsolute(path) && !/^[\\/]{2}/.test(path) && existsSync(join(path, "tokenizer.json"));
}
