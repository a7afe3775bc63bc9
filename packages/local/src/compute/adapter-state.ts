import type { StoredAdapter } from "../adapter/adapter-directory.js";
import { type AdapterParameters, copyAdapterParameters } from "../adapter/adapter-parameters.js";
import {
  type AdapterTensors,
  copyTensors,
  newOptimizerState,
  type OptimizerState,
  zeroTensors,
} from "../adapter/adapter-tensors.js";
import type { AdamStep } from "../engine/engine.js";
import { adamStep } from "../training/adam-step.js";
import { hasDiverged } from "../training/has-diverged.js";
import { fillWithZeros } from "../training/tensor-arithmetic.js";
import type { AdapterSnapshot } from "./recoverable-engine.js";

/** One adapter in memory: weights, accumulated gradient, and what the optimizer remembers. */
export class AdapterState {
  #parameters: AdapterParameters;
  #optimizer: OptimizerState | undefined;
  #gradients: AdapterTensors | undefined;
  /** True while somebody else relies on the present weights to stay as they are. */
  #isShared: boolean;

  constructor({ parameters, optimizer, gradients }: AdapterSnapshot, isShared = false) {
    this.#parameters = parameters;
    this.#optimizer = optimizer;
    this.#gradients = gradients;
    this.#isShared = isShared;
  }

  /** A new adapter with the present weights of this one, and a fresh optimizer. */
  copy(): AdapterState {
    return new AdapterState({ parameters: this.freeze() }, true);
  }

  /** The present weights, which later steps do not change: the next one makes a copy first. */
  freeze(): AdapterParameters {
    this.#isShared = true;
    return this.#parameters;
  }

  /** The present weights, to be read before the next step. */
  get parameters(): AdapterParameters {
    return this.#parameters;
  }

  /** The gradient since the last step, zero at first; passes add to it. Made when first asked for. */
  get gradients(): AdapterTensors {
    this.#gradients ??= zeroTensors(this.#parameters);
    return this.#gradients;
  }

  /** Copies weights and optimizer as they are; an optimizer that has not stepped is left out. */
  copyWeights(): AdapterSnapshot {
    const parameters = copyAdapterParameters(this.#parameters);
    if (this.#optimizer === undefined) return { parameters };
    const { step, m, v } = this.#optimizer;
    return { parameters, optimizer: { step, m: copyTensors(m), v: copyTensors(v) } };
  }

  toStore(includesOptimizer: boolean): StoredAdapter {
    if (!includesOptimizer) return { parameters: this.#parameters };
    this.#optimizer ??= newOptimizerState(this.#parameters);
    return { parameters: this.#parameters, optimizer: this.#optimizer };
  }

  /** One AdamW step with the accumulated gradient, or with a zero one when there is none; it is zeroed afterwards. */
  step(options: AdamStep): Record<string, number> {
    if (this.#isShared) {
      this.#parameters = copyAdapterParameters(this.#parameters);
      this.#isShared = false;
    }
    this.#optimizer ??= newOptimizerState(this.#parameters);
    const { gradientNorm } = adamStep(this.#parameters, this.gradients, this.#optimizer, options);
    fillWithZeros(this.gradients);
    return {
      "grad_norm:mean": gradientNorm,
      "learning_rate:mean": options.learningRate,
      "step:max": this.#optimizer.step,
      // Present only when it is so: the sign by which a program can stop.
      ...(hasDiverged(this.#parameters) && { "weights_diverged:max": 1 }),
    };
  }
}
