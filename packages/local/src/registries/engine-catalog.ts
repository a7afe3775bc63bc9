import type { Logger } from "@tinkex/base";
import type { Engine } from "../engine/engine.js";
import { userFailure } from "../errors/operation-failure.js";

export interface EngineCatalogOptions {
  /** Name of the model that serves requests for those that are not there; undefined where they are refused. */
  readonly standIn: string | undefined;
  readonly logger: Logger;
}

/** The engines of a server, one for each base model it serves. */
export class EngineCatalog {
  readonly #engines: ReadonlyMap<string, Engine>;
  readonly #options: EngineCatalogOptions;
  /** Names of models that another one stood in for, each of which the log has once. */
  readonly #stoodInFor = new Set<string>();

  constructor(engines: readonly Engine[], options: EngineCatalogOptions) {
    this.#engines = new Map(engines.map((engine) => [engine.model.name, engine]));
    this.#options = options;
  }

  get all(): readonly Engine[] {
    return [...this.#engines.values()];
  }

  /** Name of the model that serves requests for those that are not there; undefined where they are refused. */
  get standIn(): string | undefined {
    return this.#options.standIn;
  }

  /** @throws OperationFailure `user` naming the models there are */
  find(baseModel: string): Engine {
    const engine = this.#engines.get(baseModel) ?? this.#standInFor(baseModel);
    if (engine === undefined) {
      throw userFailure(
        `base_model must be one that this server has (${[...this.#engines.keys()].join(", ")}), got "${baseModel}"; started ` +
          "with standIn (--stand-in) it serves any name by one of them",
      );
    }
    return engine;
  }

  #standInFor(baseModel: string): Engine | undefined {
    const { standIn } = this.#options;
    const engine = standIn === undefined ? undefined : this.#engines.get(standIn);
    if (engine !== undefined && !this.#stoodInFor.has(baseModel)) {
      this.#stoodInFor.add(baseModel);
      this.#options.logger.warn(
        `base_model "${baseModel}" is not here: ${engine.model.name} stands in for it, with its own tokenizer and its own skills`,
      );
    }
    return engine;
  }
}
