import type { DecodeModel } from "./decode-model.js";
import type { KeyValueLayout } from "./key-values.js";
import { type PrefilledPrompt, type Prompt, paddedLength, prefill, prefillLongPrompt } from "./prefill.js";
import { PromptCache } from "./prompt-cache.js";

/** Part of the memory for keys and values that prompts which have been read may take besides. */
const CACHE_SHARE = 0.25;

export interface PromptReaderOptions {
  readonly layout: KeyValueLayout & { readonly contextLength: number };
  /** Most tokens read in one run, padding included. */
  readonly maxTokensPerRun: number;
  readonly maxCacheBytes: number;
  readonly betweenRuns: () => Promise<void>;
}

/** Prompts that a run can read side by side, while they are chosen. */
export class ReadPlan {
  readonly #maxTokensPerRun: number;
  readonly #paddedLength: (prompt: Prompt) => number;
  readonly #lookUp: (key: string) => PrefilledPrompt | undefined;
  readonly #keys = new Set<string>();
  /** Prompts that were read before. They are held here, since those that are read in this run may take their place in the cache. */
  readonly #found = new Map<string, PrefilledPrompt>();
  /** Prompts that have to be read, each once. */
  readonly unread: Prompt[] = [];
  #length: number | undefined;

  constructor(
    maxTokensPerRun: number,
    paddedLengthOf: (prompt: Prompt) => number,
    lookUp: (key: string) => PrefilledPrompt | undefined,
  ) {
    this.#maxTokensPerRun = maxTokensPerRun;
    this.#paddedLength = paddedLengthOf;
    this.#lookUp = lookUp;
  }

  /** Tells whether the run has room for a prompt. One that was read, or is read in this run anyway, needs none. */
  hasRoomFor(prompt: Prompt): boolean {
    if (this.#length === undefined || this.#isKnown(prompt)) return true;
    if (this.#paddedLength(prompt) !== this.#length) return false;
    return (this.unread.length + 1) * this.#length <= this.#maxTokensPerRun;
  }

  add(prompt: Prompt): void {
    if (this.#isKnown(prompt)) return;
    this.#length = this.#paddedLength(prompt);
    this.unread.push(prompt);
    if (prompt.key !== undefined) this.#keys.add(prompt.key);
  }

  /** A prompt of the plan that had been read before it. */
  found(key: string): PrefilledPrompt | undefined {
    return this.#found.get(key);
  }

  #isKnown({ key }: Prompt): boolean {
    if (key === undefined) return false;
    if (this.#keys.has(key) || this.#found.has(key)) return true;
    const found = this.#lookUp(key);
    if (found !== undefined) this.#found.set(key, found);
    return found !== undefined;
  }
}

/** Reads prompts (prefill), several in a run, and those that are the same once. */
export class PromptReader {
  readonly #model: DecodeModel;
  readonly #options: PromptReaderOptions;
  readonly #cache: PromptCache;

  constructor(model: DecodeModel, options: PromptReaderOptions) {
    this.#model = model;
    this.#options = options;
    this.#cache = new PromptCache(options.layout, options.maxCacheBytes * CACHE_SHARE);
  }

  plan(): ReadPlan {
    return new ReadPlan(
      this.#options.maxTokensPerRun,
      (prompt) => this.#paddedLength(prompt),
      (key) => this.#cache.get(key),
    );
  }

  /**
   * Reads prompts that a plan has found room for.
   *
   * @param isWanted - asked between the runs of a long prompt
   * @returns what samples of a prompt start from; nothing for a long one that is wanted no more
   */
  async read(
    plan: ReadPlan,
    isWanted: () => boolean,
  ): Promise<(prompt: Prompt) => PrefilledPrompt | undefined> {
    const { unread } = plan;
    const read = new Map<Prompt | string, PrefilledPrompt>();
    const results = await this.#run(unread, isWanted);
    unread.forEach((prompt, index) => {
      const result = results[index];
      if (result === undefined) return;
      read.set(prompt.key ?? prompt, result);
      if (prompt.key !== undefined) this.#cache.add(prompt.key, result);
    });
    return (prompt) =>
      prompt.key === undefined ? read.get(prompt) : (read.get(prompt.key) ?? plan.found(prompt.key));
  }

  async #run(
    prompts: readonly Prompt[],
    isWanted: () => boolean,
  ): Promise<readonly (PrefilledPrompt | undefined)[]> {
    const [first] = prompts;
    if (first === undefined) return [];
    const { layout, maxTokensPerRun, betweenRuns } = this.#options;
    if (first.tokens.length <= maxTokensPerRun)
      return prefill(this.#model, prompts, this.#paddedLength(first));
    const goOn = async (): Promise<boolean> => {
      await betweenRuns();
      return isWanted();
    };
    return [await prefillLongPrompt(this.#model, layout, first, maxTokensPerRun, goOn)];
  }

  #paddedLength({ tokens }: Prompt): number {
    return paddedLength(tokens.length, this.#options.layout.contextLength);
  }
}
