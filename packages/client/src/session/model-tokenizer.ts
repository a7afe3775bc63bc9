import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Tokenizer, ValidationError } from "@tinkex/base";
import { isLoopback } from "@tinkex/http";

/** Gives the tokenizer of a model. What `get_info` says of it goes in as it is: a name is the server's word, and no path to open unseen. */
export type TokenizerLoader = (model: TokenizedModel) => Tokenizer | Promise<Tokenizer>;

/** Names of the model whose tokenizer is wanted. */
export interface TokenizedModel {
  readonly modelName: string;
  readonly tokenizerId: string | undefined;
}

/** The tokenizers of a session's models: the option, and what the server has said of them so far. */
export class ModelTokenizers {
  readonly #own: Tokenizer | TokenizerLoader | undefined;
  readonly #baseUrl: string | undefined;
  readonly #ids = new Map<string, string>();

  /** @param baseUrl - the address of the server; `undefined` when it is not known */
  constructor(own: Tokenizer | TokenizerLoader | undefined, baseUrl: string | undefined) {
    this.#own = own;
    this.#baseUrl = baseUrl;
  }

  /** Keeps the tokenizer's name of a base model: samplers of the same model are not told it. */
  learn(modelName: string, tokenizerId: string): void {
    this.#ids.set(modelName, tokenizerId);
  }

  /** @throws ValidationError when the tokenizer is not to be had, saying what to pass */
  get(modelName: string, tokenizerId: string | undefined): Promise<Tokenizer> {
    const model = { modelName, tokenizerId: tokenizerId ?? this.#ids.get(modelName) };
    return modelTokenizer(this.#own, model, this.#baseUrl);
  }
}

/**
 * The tokenizer of a model: the caller's own, else that of a model directory on this machine. The directory is the server's
 * word, so it is read for a server on this machine alone: any other would choose which of our files we read.
 *
 * @param baseUrl - where the server is; `undefined` when it is not known
 * @throws ValidationError when neither is there, or another server names a directory, saying what to pass
 */
export async function modelTokenizer(
  own: Tokenizer | TokenizerLoader | undefined,
  model: TokenizedModel,
  baseUrl: string | undefined,
): Promise<Tokenizer> {
  if (isLoader(own)) return own(model);
  if (own !== undefined) return own;
  const names = [model.tokenizerId, model.modelName].filter((name) => name !== undefined);
  if (baseUrl === undefined || !isLoopback(baseUrl)) refusePlaces(names);
  const directory = names.find(isModelDirectory);
  if (directory === undefined) {
    throw new ValidationError(
      `the tokenizer of ${model.modelName} is not on this machine: give the option tokenizer to ServiceClient, ` +
        "a Tokenizer or a function that loads one",
      { path: ["tokenizer"] },
    );
  }
  const { loadTokenizer } = await import("@tinkex/tokenizer/node");
  return loadTokenizer(directory);
}

function isLoader(own: Tokenizer | TokenizerLoader | undefined): own is TokenizerLoader {
  return typeof own === "function";
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
