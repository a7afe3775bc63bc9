import type { StoredAdapter } from "../adapter/adapter-directory.js";
import { type AdapterParameters, copyAdapterParameters } from "../adapter/adapter-parameters.js";
import {
  type AdapterTensors,
  newOptimizerState,
  type OptimizerState,
  zeroTensors,
} from "../adapter/adapter-tensors.js";
import { adamStep } from "../training/adam-step.js";
import type { AdamStep } from "./engine.js";

/** Makes one adapter's numbers distinguishable from all others, its own former ones included. */
let versions = 0;

/** One adapter in memory: weights, accumulated gradient, and what the optimizer remembers. */
export class AdapterState {
  #parameters: AdapterParameters;
  #optimizer: OptimizerState | undefined;
  #gradients: AdapterTensors | undefined;
  #version = ++versions;
  #isShared = false;

  constructor({ parameters, optimizer }: StoredAdapter) {
    this.#parameters = parameters;
    this.#optimizer = optimizer;
  }

  get parameters(): AdapterParameters {
    return this.#parameters;
  }

  /** The gradient since the last step, zero at first; passes add to it. Made when first asked for. */
  get gradients(): AdapterTensors {
    this.#gradients ??= zeroTensors(this.#parameters);
    return this.#gradients;
  }

  /** Weights that later steps do not change, with a name for these very numbers. Costs nothing until the next step. */
  freeze(): { readonly key: string; readonly parameters: AdapterParameters } {
    this.#isShared = true;
    return { key: `adapter version ${this.#version}`, parameters: this.#parameters };
  }

  toStore(withOptimizer: boolean): StoredAdapter {
    if (!withOptimizer) return { parameters: this.#parameters };
    this.#optimizer ??= newOptimizerState(this.#parameters);
    return { parameters: this.#parameters, optimizer: this.#optimizer };
  }

  /** One AdamW step with the accumulated gradient, or with a zero one when there is none; it is zeroed afterwards. */
  step(options: AdamStep): Record<string, number> {
    if (this.#isShared) {
      this.#parameters = copyAdapterParameters(this.#parameters);
      this.#version = ++versions;
      this.#isShared = false;
    }
    this.#optimizer ??= newOptimizerState(this.#parameters);
    const { gradientNorm } = adamStep(this.#parameters, this.gradients, this.#optimizer, options);
    for (const { a, b } of this.gradients) {
      a.fill(0);
      b.fill(0);
    }
    return {
      "grad_norm:mean": gradientNorm,
      "learning_rate:mean": options.learningRate,
      "step:max": this.#optimizer.step,
    };
  }
}
