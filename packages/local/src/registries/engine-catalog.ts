import type { Engine } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";

/** The engines of a server, one for each base model it serves. */
export class EngineCatalog {
  readonly #engines: ReadonlyMap<string, Engine>;

  constructor(engines: readonly Engine[]) {
    this.#engines = new Map(engines.map((engine) => [engine.model.name, engine]));
  }

  get all(): readonly Engine[] {
    return [...this.#engines.values()];
  }

  /** @throws OperationFailure `user` naming the models there are */
  find(baseModel: string): Engine {
    const engine = this.#engines.get(baseModel);
    if (engine === undefined) {
      throw userFailure(
        `base_model must be one that this server has (${[...this.#engines.keys()].join(", ")}), got "${baseModel}"`,
      );
    }
    return engine;
  }
}
