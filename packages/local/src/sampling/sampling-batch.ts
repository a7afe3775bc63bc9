import type { DecodeModel } from "./decode-model.js";
import type { Generation } from "./generation.js";
import { type CacheRow, KeyValueCache } from "./key-value-cache.js";
import { bytesPerToken, type KeyValueLayout } from "./key-values.js";
import type { Prediction } from "./logprobs.js";
import type { PrefilledPrompt } from "./prefill.js";
import { PromptReader, type ReadPlan } from "./prompt-reader.js";
import type { SampleRequest } from "./sample-request.js";

export interface SamplingLimits {
  /** Most samples generated side by side; a client that has none running gets {@link NEWCOMER_SHARE} more, so that it need not wait. */
  readonly maxRows: number;
  /**
   * Memory the samples' keys and values may take together, were all of them as long as the longest may get; one sample
   * runs in any case. Where they are moved to a larger place, the old one is there for that moment too, and prompts that
   * were read may take a quarter besides.
   */
  readonly maxCacheBytes: number;
  /** Most prompt tokens read in one run, padding included. */
  readonly maxPromptTokensPerRun: number;
}

/** Part of rows and memory, beyond the limits, for clients that have no sample running. */
const NEWCOMER_SHARE = 0.25;

type BatchLayout = KeyValueLayout & { readonly contextLength: number };

/** A sample whose prompt has been read. */
interface Sample {
  readonly request: SampleRequest;
  readonly generation: Generation;
}

/** A sample that waits for a row, with what it starts from. */
interface ReadySample extends Sample {
  readonly prompt: Pick<PrefilledPrompt, "keyValues" | "row" | "length">;
}

/**
 * The requests to one model with one adapter. Their samples are generated side by side, a token for each in every run;
 * new requests join between runs, and a sample that ends makes room at once. A prompt that several requests have is read once. The client with the fewest samples running comes first.
 */
export class SamplingBatch {
  readonly #model: DecodeModel;
  readonly #layout: BatchLayout;
  readonly #limits: SamplingLimits;
  readonly #prompts: PromptReader;
  readonly #cache: KeyValueCache;
  readonly #live = new Map<CacheRow, Sample>();
  /** Requests whose prompts have not been read. */
  #waiting: SampleRequest[] = [];
  /** Requests whose prompts are being read. */
  #reading: SampleRequest[] = [];
  /** Samples whose prompts have been read and that wait for a row. */
  #ready: ReadySample[] = [];

  constructor(
    model: DecodeModel,
    layout: BatchLayout,
    limits: SamplingLimits,
    betweenRuns: () => Promise<void>,
  ) {
    this.#model = model;
    this.#layout = layout;
    this.#limits = limits;
    this.#prompts = new PromptReader(model, {
      layout,
      maxTokensPerRun: limits.maxPromptTokensPerRun,
      maxCacheBytes: limits.maxCacheBytes,
      betweenRuns,
    });
    this.#cache = new KeyValueCache(layout, limits.maxCacheBytes);
  }

  get isIdle(): boolean {
    return this.#live.size === 0 && this.#waiting.length === 0 && this.#ready.length === 0;
  }

  add(request: SampleRequest): void {
    this.#waiting.push(request);
  }

  /** Does a bounded piece of work: reads what prompts have room, and generates one token for every sample. */
  async advance(): Promise<void> {
    this.#dropSettled();
    await this.#prefill();
    this.#startReady();
    if (this.#live.size > 0) await this.#generateTokens();
  }

  /** Rejects everything that is under way; the rows are freed by the next {@link advance}. */
  fail(error: unknown): void {
    const requests = [
      ...this.#waiting,
      ...this.#reading,
      ...[...this.#ready, ...this.#live.values()].map(({ request }) => request),
    ];
    for (const request of requests) request.fail(error);
  }

  /** Frees the rows of requests that were aborted or failed. */
  #dropSettled(): void {
    this.#waiting = this.#waiting.filter((request) => !request.isSettled);
    this.#ready = this.#ready.filter(({ request }) => !request.isSettled);
    for (const [row, { request }] of this.#live) {
      if (request.isSettled) this.#remove(row);
    }
  }

  async #prefill(): Promise<void> {
    const plan = this.#prompts.plan();
    this.#reading = this.#takeReadable(plan);
    const requests = this.#reading;
    if (requests.length === 0) return;
    const promptOf = await this.#prompts.read(plan, () => requests.some(({ isSettled }) => !isSettled));
    for (const request of requests) {
      const prompt = promptOf(request.prompt);
      if (prompt === undefined) continue;
      // Without the prediction, whose logits are as many as the prompts' tokens times the vocabulary where all are wanted.
      const { keyValues, row, length } = prompt;
      for (const generation of request.generations) {
        const sample = { request, generation };
        if (!generation.isFinished) this.#accept(sample, prompt.prediction);
        if (!generation.isFinished) this.#ready.push({ ...sample, prompt: { keyValues, row, length } });
      }
      request.settleIfFinished();
    }
    this.#reading = [];
    this.#dropSettled();
  }

  /**
   * Takes the first waiting request of the client with the fewest samples running, and those that can be read beside it, as far as
   * rows are free. What a client has that was read and waits for rows comes before its other requests.
   */
  #takeReadable(plan: ReadPlan): SampleRequest[] {
    const taken: SampleRequest[] = [];
    const readyOf = new Set(this.#ready.map(({ request }) => request.sessionId));
    const candidates = this.#waiting.filter(({ sessionId }) => !readyOf.has(sessionId));
    const first = this.#next(candidates, (request) => request);
    if (first === undefined) return taken;
    let rows = this.#live.size;
    for (const request of [first, ...candidates.filter((other) => other !== first)]) {
      if (!plan.hasRoomFor(request.prompt)) continue;
      if (!this.#hasRoom(rows, request)) break;
      plan.add(request.prompt);
      taken.push(request);
      rows += request.generations.length;
    }
    this.#waiting = this.#waiting.filter((request) => !taken.includes(request));
    return taken;
  }

  #startReady(): void {
    while (this.#ready.length > 0) {
      const next = this.#next(this.#ready, ({ request }) => request);
      if (next === undefined || !this.#hasRoom(this.#live.size, next.request)) return;
      this.#ready.splice(this.#ready.indexOf(next), 1);
      const { request, generation, prompt } = next;
      const { keyValues: of, row, length } = prompt;
      const cached = this.#cache.add({ of, row, length }, request.longest);
      // Without the prompt, whose keys and values the cache has copied.
      this.#live.set(cached, { request, generation });
    }
  }

  /** The first of the client that has the fewest samples running. */
  #next<T>(waiting: readonly T[], requestOf: (item: T) => SampleRequest): T | undefined {
    const running = this.#running();
    const rowsOf = (item: T) => running.get(requestOf(item).sessionId) ?? 0;
    let [next] = waiting;
    for (const item of waiting) if (next !== undefined && rowsOf(item) < rowsOf(next)) next = item;
    return next;
  }

  /** Number of samples that run, by client. */
  #running(): ReadonlyMap<string | undefined, number> {
    const running = new Map<string | undefined, number>();
    for (const { request } of this.#live.values()) {
      running.set(request.sessionId, (running.get(request.sessionId) ?? 0) + 1);
    }
    return running;
  }

  /** Tells whether another sample fits beside `rows` others. The first always does. */
  #hasRoom(rows: number, request: SampleRequest): boolean {
    if (rows === 0) return true;
    const longest = Math.max(
      request.longest,
      ...[...this.#live.values()].map((sample) => sample.request.longest),
    );
    const bytes = (rows + 1) * longest * bytesPerToken(this.#layout);
    const share = this.#running().has(request.sessionId) ? 1 : 1 + NEWCOMER_SHARE;
    return rows < this.#limits.maxRows * share && bytes <= this.#limits.maxCacheBytes * share;
  }

  async #generateTokens(): Promise<void> {
    const rows = [...this.#cache.rows];
    const { prediction, keyValues } = await this.#model.run({
      tokens: Int32Array.from(rows, (row) => this.#live.get(row)?.generation.lastToken ?? 0),
      rows: rows.length,
      time: 1,
      past: { keyValues: this.#cache.view(), lengths: rows.map(({ length }) => length) },
      selected: Int32Array.from(rows.keys()),
    });
    rows.forEach((row, i) => {
      const sample = this.#live.get(row);
      if (sample === undefined) return;
      this.#accept(sample, prediction(i));
      if (sample.generation.isFinished) this.#remove(row);
      else this.#cache.append(row, { of: keyValues, row: i, start: 0 }, 1);
      sample.request.settleIfFinished();
    });
  }

  /** One request's broken weights or stop texts are no reason to fail the others. */
  #accept({ generation, request }: Sample, prediction: Prediction): void {
    try {
      if (!request.isSettled) generation.accept(prediction);
    } catch (error) {
      request.fail(error);
    }
  }

  #remove(row: CacheRow): void {
    this.#live.delete(row);
    this.#cache.remove(row);
  }
}
