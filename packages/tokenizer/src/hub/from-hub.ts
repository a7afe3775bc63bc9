import {
  AbortedError,
  type Clock,
  checkClock,
  checkKnownNames,
  checkLogger,
  checkObject,
  checkString,
  type Logger,
  systemClock,
  ValidationError,
} from "@tinkex/base";
import { ADDITIONAL_TEMPLATES } from "../file-format/additional-templates.js";
import { readTokenizerFiles } from "../files/read-tokenizer-files.js";
import type { TokenizerRequest } from "../sources/tokenizer-source.js";
import { createTokenizer } from "../tokenizer/create-tokenizer.js";
import type { TextTokenizer } from "../tokenizer/text-tokenizer.js";
import { checkRepository } from "./check-repository.js";
import { HubCache } from "./hub-cache.js";
import { HubClient } from "./hub-client.js";
import { HubRevision } from "./hub-revision.js";
import { HUB_OPTIONS, type HubOptions, resolveHubSettings } from "./hub-settings.js";

/** Options of {@link fromHub}: the settings of the hub, and more. */
export interface FromHubOptions extends HubOptions {
  /** @defaultValue `globalThis.fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** Told when the cache stands in for a hub that is out of reach. */
  readonly logger?: Pick<Logger, "warn">;
  /** @defaultValue the machine's clock */
  readonly clock?: Clock;
}

/** The names of {@link FromHubOptions}. */
export const FROM_HUB_OPTIONS: Readonly<Record<keyof FromHubOptions, true>> = {
  ...HUB_OPTIONS,
  fetch: true,
  logger: true,
  clock: true,
};

/**
 * A source that takes tokenizers from the Hugging Face hub and keeps them in the cache that Python uses too. A branch
 * is looked up each time (one small request) and downloaded only when it has changed; a commit needs no request once
 * it is there. Out of reach, the hub is stood in for by what was downloaded before.
 *
 * The source throws a ValidationError for a repository without `tokenizer.json`, an ApiStatusError when the hub
 * refuses, a ConnectionError when it cannot be reached, a ResponseError when it sends something damaged.
 */
export function fromHub(options: FromHubOptions = {}): (request: TokenizerRequest) => Promise<TextTokenizer> {
  checkKnownNames(options, FROM_HUB_OPTIONS, "the options of fromHub");
  const settings = resolveHubSettings(options);
  const { clock = systemClock, logger, fetch = globalThis.fetch } = options;
  checkClock(clock, "fromHub: clock");
  checkLogger(logger, "fromHub: logger", ["warn"]);
  const cache = new HubCache(settings.cacheDirectory);
  const client = new HubClient({ endpoint: settings.endpoint, token: settings.token, fetch, clock });

  return async (request) => {
    checkObject(request, "request", '{ id: "Qwen/Qwen3-8B" }');
    const { id, revision = "main", signal } = request;
    checkString(id, "request.id", "Qwen/Qwen3-8B");
    checkString(revision, "request.revision", "main");
    checkRepository(id, revision);
    const { offline } = settings;
    const files = new HubRevision(id, revision, { cache, client, offline, clock, logger, signal });
    try {
      const read = (name: string) =>
        name.startsWith(`${ADDITIONAL_TEMPLATES}/`) ? files.readWhereReached(name) : files.read(name);
      const found = await readTokenizerFiles(read, `${id} on ${settings.endpoint}`);
      await files.complete();
      if (found !== undefined) return createTokenizer(found);
    } catch (error) {
      if (signal?.aborted) throw new AbortedError(`loading ${id} was aborted`, { cause: signal.reason });
      throw error;
    }
    throw new ValidationError(
      `${id} has no tokenizer.json ${offline ? `in ${settings.cacheDirectory}` : `on ${settings.endpoint}`}; register a source for it: registerTokenizer(${JSON.stringify(id)}, source)`,
    );
  };
}
