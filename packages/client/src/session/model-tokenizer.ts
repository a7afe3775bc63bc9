import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { type Tokenizer, ValidationError } from "@tinkex/base";
import type { ClientSettings } from "./client-settings.js";
import type { TokenizerLoader } from "./service-client-options.js";

/** What is known of the model whose tokenizer is wanted. */
export interface TokenizedModel {
  readonly modelName: string;
  readonly tokenizerId: string | undefined;
}

/**
 * The tokenizer of a model: the caller's own, else that of a model directory on this machine.
 *
 * @throws ValidationError when neither is there, saying what to pass
 */
export async function modelTokenizer(
  own: ClientSettings["tokenizer"],
  model: TokenizedModel,
): Promise<Tokenizer> {
  if (isLoader(own)) return own(model);
  if (own !== undefined) return own;
  const directory = [model.tokenizerId, model.modelName].find(isModelDirectory);
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

function isLoader(own: ClientSettings["tokenizer"]): own is TokenizerLoader {
  return typeof own === "function";
}

/** Names of models are no paths, so only absolute ones are looked at. */
function isModelDirectory(path: string | undefined): path is string {
  return path !== undefined && isAbsolute(path) && existsSync(join(path, "tokenizer.json"));
}
