import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AbortedError, ClosedError } from "@tinkex/base";
import type {
  AdamStep,
  AdapterShape,
  Engine,
  EngineModel,
  PassRequest,
  PassResult,
  SampleOutcome,
  SampleTask,
} from "../engine/engine.js";
import { makePrivateDirectory } from "../files/make-private-directory.js";
import { writePrivateFile } from "../files/write-private-file.js";

interface Adapter {
  readonly shape: AdapterShape;
  weight: number;
  gradient: number;
  steps: number;
}

/**
 * A model of one parameter, to test the server around the engine: every log-probability is the parameter less 1, and the
 * gradient is the sum of the weights. It keeps a log of what it was asked, and can be made to wait.
 */
export class ScriptedEngine implements Engine {
  readonly model: EngineModel;
  readonly runtime = { name: "native", threads: 1 } as const;
  readonly calls: string[] = [];
  readonly #adapters = new Map<string, Adapter>();
  #gate: Promise<void> = Promise.resolve();
  #closed: (() => void) | undefined;
  readonly #closing: Promise<never>;

  constructor(model: Partial<EngineModel> = {}) {
    this.model = {
      name: "test/one",
      directory: "/models/one",
      architecture: "one",
      vocabularySize: 100,
      contextLength: 32,
      endTokenIds: [99],
      weights: "float32",
      ...model,
    };
    this.#closing = new Promise((_, reject) => {
      this.#closed = () => reject(new ClosedError("the engine is closed; start the server again"));
    });
    this.#closing.catch(() => {});
  }

  /** Holds all work from now on, until the returned function is called. */
  hold(): () => void {
    let open = () => {};
    this.#gate = new Promise((resolve) => {
      open = resolve;
    });
    return open;
  }

  get adapterIds(): string[] {
    return [...this.#adapters.keys()].sort();
  }

  /** Set by a test. */
  fault: string | undefined;

  async createAdapter(adapterId: string, shape: AdapterShape, seed: number): Promise<void> {
    await this.#turn(`create ${adapterId} rank ${shape.rank} seed ${seed}`);
    this.#adapters.set(adapterId, { shape, weight: 0, gradient: 0, steps: 0 });
  }

  async loadAdapter(
    adapterId: string,
    directory: string,
    options: { includesOptimizer: boolean },
  ): Promise<AdapterShape> {
    await this.#turn(`load ${adapterId} optimizer ${options.includesOptimizer}`);
    const saved = JSON.parse(await readFile(join(directory, "adapter.json"), "utf8")) as Adapter;
    this.#adapters.set(adapterId, { ...saved, steps: options.includesOptimizer ? saved.steps : 0 });
    return saved.shape;
  }

  async saveAdapter(
    adapterId: string,
    directory: string,
    options: { includesOptimizer: boolean },
  ): Promise<number> {
    await makePrivateDirectory(dirname(directory), directory);
    await this.#turn(`save ${adapterId} optimizer ${options.includesOptimizer}`);
    const text = JSON.stringify(this.#adapter(adapterId));
    await writePrivateFile(join(directory, "adapter.json"), text);
    return text.length;
  }

  async copyAdapter(adapterId: string, copyId: string): Promise<void> {
    await this.#turn(`copy ${adapterId} to ${copyId}`);
    this.#adapters.set(copyId, { ...this.#adapter(adapterId) });
  }

  async releaseAdapter(adapterId: string): Promise<void> {
    this.calls.push(`release ${adapterId}`);
    this.#adapters.delete(adapterId);
  }

  async pass({ adapterId, data, loss, forwardOnly }: PassRequest): Promise<PassResult> {
    await this.#turn(`${forwardOnly ? "forward" : "forward_backward"} ${loss} ${data.length}`);
    const adapter = this.#adapter(adapterId);
    const logprob = adapter.weight - 1;
    let weightSum = 0;
    for (const datum of data)
      for (let i = 0; i < datum.targets.length; i += 1) weightSum += datum.lossInputs.weights?.[i] ?? 1;
    if (!forwardOnly) adapter.gradient += weightSum;
    return {
      logprobs: data.map((datum) => new Float32Array(datum.targets.length).fill(logprob)),
      lossSum: -weightSum * logprob,
    };
  }

  async optimStep(adapterId: string, params: AdamStep): Promise<Record<string, number>> {
    await this.#turn(`optim_step ${params.learningRate}`);
    const adapter = this.#adapter(adapterId);
    adapter.weight += params.learningRate * adapter.gradient;
    adapter.steps += 1;
    const metrics = { "grad_norm:mean": adapter.gradient, "step:max": adapter.steps };
    adapter.gradient = 0;
    return metrics;
  }

  async sample(task: SampleTask, signal?: AbortSignal): Promise<SampleOutcome> {
    const { adapterId, prompt, sampleCount, maxTokens, seed, topkPromptLogprobs: k } = task;
    await Promise.race([this.#turn(`sample ${adapterId ?? "base"} seed ${seed}`), abortOf(signal)]);
    const weight = adapterId === undefined ? 0 : this.#adapter(adapterId).weight;
    const tokensOf = (index: number) =>
      Int32Array.from({ length: maxTokens }, (_, t) => (seed + index + t) % 90);
    const promptLogprobs = Float32Array.from(prompt, (_, t) => (t === 0 ? Number.NaN : weight - t));
    return {
      sequences: Array.from({ length: sampleCount }, (_, index) => ({
        tokens: tokensOf(index),
        logprobs: new Float32Array(maxTokens).fill(weight - 1),
        stopReason: "length",
      })),
      ...(task.wantsPromptLogprobs ? { promptLogprobs } : {}),
      ...(k > 0
        ? {
            topkPromptLogprobs: {
              k,
              tokenIds: Int32Array.from({ length: prompt.length * k }, (_, cell) => (cell < k ? 0 : cell)),
              logprobs: Float32Array.from({ length: prompt.length * k }, (_, cell) =>
                cell < k ? -99_999 : -cell,
              ),
            },
          }
        : {}),
    };
  }

  async close(): Promise<void> {
    this.calls.push("close");
    this.#closed?.();
  }

  #adapter(adapterId: string): Adapter {
    const adapter = this.#adapters.get(adapterId);
    if (adapter === undefined) throw new Error(`no adapter ${adapterId}`);
    return adapter;
  }

  async #turn(call: string): Promise<void> {
    this.calls.push(call);
    await Promise.race([this.#gate, this.#closing]);
  }
}

/** Rejects when the signal aborts, as an engine does; never settles otherwise. */
function abortOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) =>
    signal?.addEventListener("abort", () => reject(new AbortedError("sampling was aborted")), { once: true }),
  );
}
