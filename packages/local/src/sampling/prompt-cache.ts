import {
  bytesPerToken,
  copyKeyValues,
  emptyKeyValues,
  type KeyValueLayout,
  type KeyValues,
} from "./key-values.js";
import type { PrefilledPrompt } from "./prefill.js";

/**
 * LRU cache of prompts that have been read, by their tokens: samples of one prompt may come as requests of their own, and each would
 * read it again. It is bounded in bytes; a prompt that is larger alone is not kept.
 */
export class PromptCache {
  readonly #layout: KeyValueLayout;
  readonly #maxBytes: number;
  /** The least recently used first. */
  readonly #prompts = new Map<string, PrefilledPrompt>();
  #bytes = 0;

  constructor(layout: KeyValueLayout, maxBytes: number) {
    this.#layout = layout;
    this.#maxBytes = maxBytes;
  }

  has(key: string): boolean {
    return this.#prompts.has(key);
  }

  get(key: string): PrefilledPrompt | undefined {
    const prompt = this.#prompts.get(key);
    if (prompt === undefined) return undefined;
    this.#prompts.delete(key);
    this.#prompts.set(key, prompt);
    return prompt;
  }

  /** Keeps a copy, since the keys and values of a run belong to all prompts that it read. */
  add(key: string, prompt: PrefilledPrompt): void {
    const bytes = this.#bytesOf(prompt);
    if (bytes > this.#maxBytes || this.#prompts.has(key)) return;
    const { length } = prompt;
    const prediction = { ...prompt.prediction, logits: prompt.prediction.logits.slice() };
    this.#prompts.set(key, { keyValues: this.#ownRow(prompt), row: 0, length, prediction });
    this.#bytes += bytes;
    for (const [oldest, { prediction, length }] of this.#prompts) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#prompts.delete(oldest);
      this.#bytes -= this.#bytesOf({ prediction, length });
    }
  }

  #ownRow({ keyValues, row, length }: PrefilledPrompt): KeyValues {
    if (keyValues.rows === 1 && keyValues.time === length) return keyValues;
    const own = emptyKeyValues(this.#layout, 1, length);
    copyKeyValues(this.#layout, { of: keyValues, row, start: 0 }, { of: own, row: 0, start: 0 }, length);
    return own;
  }

  #bytesOf({ length, prediction }: Pick<PrefilledPrompt, "length" | "prediction">): number {
    return length * bytesPerToken(this.#layout) + prediction.logits.byteLength;
  }
}
