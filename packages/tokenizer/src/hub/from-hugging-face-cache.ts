import { checkKnownNames } from "@tinkex/base";
import { readTokenizerFiles } from "../files/read-tokenizer-files.js";
import type { TokenizerRequest } from "../sources/tokenizer-source.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { checkRepository } from "./check-repository.js";
import { HubCache } from "./hub-cache.js";
import { HUB_OPTIONS, type HubOptions, resolveHubSettings } from "./hub-settings.js";

/** A source that looks into the cache of the Hugging Face hub and nowhere else; undefined for what is not there. */
export function fromHuggingFaceCache(
  options: HubOptions = {},
): (request: TokenizerRequest) => Promise<TextTokenizer | undefined> {
  checkKnownNames(options, HUB_OPTIONS, "the options of fromHuggingFaceCache");
  const cache = new HubCache(resolveHubSettings(options).cacheDirectory);
  return async ({ id, revision = "main" }) => {
    checkRepository(id, revision);
    const commit = await cache.commit(id, revision);
    if (commit === undefined) return undefined;
    const files = await readTokenizerFiles((name) => cache.read(id, commit, name), `the cache of ${id}`);
    return files === undefined ? undefined : createTokenizer(files);
  };
}
