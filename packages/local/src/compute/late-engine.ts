import { ClosedError } from "@tinkex/base";
import type { Engine, EngineModel } from "../engine/engine.js";
import type { EngineOptions } from "../engine/engine-options.js";
import { readModelConfig } from "../model/read-model-config.js";
import { planMemory } from "./memory-plan.js";

/**
 * Engine that starts with the first call that computes, so that a built-in model which nobody asks for costs no thread and no memory.
 * A start that failed fails its calls, and is tried again by the next one.
 */
export class LateEngine implements Engine {
  readonly model: EngineModel;
  readonly runtime: Engine["runtime"];
  readonly #start: () => Promise<Engine>;
  #starting: Promise<Engine> | undefined;
  #started: Engine | undefined;
  #isClosed = false;

  /**
   * @param runtime - of an engine that was started with the same options
   * @throws ValidationError when the directory is no model that an engine can run
   */
  constructor(
    { model, memoryLimit }: Pick<EngineOptions, "model" | "memoryLimit">,
    runtime: Engine["runtime"],
    start: () => Promise<Engine>,
  ) {
    const { name, directory, weights = "float32" } = model;
    const config = readModelConfig(directory);
    const { architecture, vocabularySize, endTokenIds } = config;
    const { contextLength } = planMemory(config, model, memoryLimit);
    this.model = { name, directory, architecture, vocabularySize, contextLength, endTokenIds, weights };
    this.runtime = runtime;
    this.#start = start;
  }

  get fault(): string | undefined {
    return this.#started?.fault;
  }

  async createAdapter(...args: Parameters<Engine["createAdapter"]>): ReturnType<Engine["createAdapter"]> {
    return (await this.#engine()).createAdapter(...args);
  }

  async loadAdapter(...args: Parameters<Engine["loadAdapter"]>): ReturnType<Engine["loadAdapter"]> {
    return (await this.#engine()).loadAdapter(...args);
  }

  async saveAdapter(...args: Parameters<Engine["saveAdapter"]>): ReturnType<Engine["saveAdapter"]> {
    return (await this.#engine()).saveAdapter(...args);
  }

  async copyAdapter(...args: Parameters<Engine["copyAdapter"]>): ReturnType<Engine["copyAdapter"]> {
    return (await this.#engine()).copyAdapter(...args);
  }

  async releaseAdapter(...args: Parameters<Engine["releaseAdapter"]>): ReturnType<Engine["releaseAdapter"]> {
    return (await this.#engine()).releaseAdapter(...args);
  }

  async pass(...args: Parameters<Engine["pass"]>): ReturnType<Engine["pass"]> {
    return (await this.#engine()).pass(...args);
  }

  async optimStep(...args: Parameters<Engine["optimStep"]>): ReturnType<Engine["optimStep"]> {
    return (await this.#engine()).optimStep(...args);
  }

  async sample(...args: Parameters<Engine["sample"]>): ReturnType<Engine["sample"]> {
    return (await this.#engine()).sample(...args);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const engine = await this.#starting?.catch(() => undefined);
    await engine?.close();
  }

  async #engine(): Promise<Engine> {
    if (this.#isClosed) throw new ClosedError("the engine is closed; start the server again");
    this.#starting ??= this.#start();
    try {
      this.#started = await this.#starting;
      return this.#started;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }
}
