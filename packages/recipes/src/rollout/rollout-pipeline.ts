import { onAbort } from "@tinkex/base";
import type { SamplingClient } from "@tinkex/client";
import type { TokenCounts } from "../metrics/token-usage.js";
import type { Trajectory } from "./rollout-rules.js";

/** Groups of a step that were rolled out. */
export interface RolledOut {
  readonly groups: readonly (readonly Trajectory[])[];
  /** Tokens that this took, those of answers that failed included. */
  readonly tokens: TokenCounts;
}

/** Groups of a step, with the step whose weights sampled them. */
export interface SampledGroups extends RolledOut {
  /** The step that these weights began: older than the step that trains on them where rollouts run ahead. */
  readonly samplerStep: number;
}

/** Parts of the rollouts of a run. */
export interface RolloutPlan {
  readonly startStep: number;
  readonly totalSteps: number;
  /** Steps that rollouts may run ahead of training; 0 samples each step with the weights that it begins with. */
  readonly maxStepsOffPolicy: number;
  /** Rolls out the groups of a step. */
  readonly rollOut: (step: number, sampler: SamplingClient, signal: AbortSignal) => Promise<RolledOut>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Rollouts that run ahead of training: the groups of `maxStepsOffPolicy` further steps are begun before a step is trained, with the newest
 * weights there are. Never more groups are begun and untrained than those of `maxStepsOffPolicy + 1` steps; a step takes its own, which
 * are the oldest, and none is thrown away for its age.
 */
export class RolloutPipeline {
  readonly #plan: RolloutPlan;
  readonly #begun = new Map<number, Promise<SampledGroups>>();
  readonly #end = new AbortController();
  readonly #leave: (() => void) | undefined;
  #next: number;

  constructor(plan: RolloutPlan) {
    this.#plan = plan;
    this.#next = plan.startStep;
    const { signal } = plan;
    if (signal?.aborted) this.#end.abort(signal.reason);
    this.#leave = signal && onAbort(signal, (reason) => this.#end.abort(reason));
  }

  /**
   * Begins the rollouts that there is room for, and waits for those of a step.
   *
   * @param sampler - of the weights that the step begins with; it is closed once what it samples is there
   */
  async take(step: number, sampler: SamplingClient): Promise<SampledGroups> {
    const { totalSteps, maxStepsOffPolicy, rollOut, signal } = this.#plan;
    const own: Promise<SampledGroups>[] = [];
    for (; this.#next <= Math.min(step + maxStepsOffPolicy, totalSteps - 1); this.#next += 1) {
      const rolledOut = rollOut(this.#next, sampler, this.#end.signal);
      const sampled = rolledOut.then((found) => ({ ...found, samplerStep: step }));
      this.#begun.set(this.#next, sampled);
      own.push(sampled);
    }
    // Failures reach the step that takes them; here they are only waited for.
    void Promise.allSettled(own).then(() => sampler.close());
    const taken = this.#begun.get(step);
    this.#begun.delete(step);
    try {
      return await (taken ?? Promise.reject(new Error(`the rollouts of step ${step} were not begun`)));
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /** Gives up the rollouts that are under way, and waits until they are cleaned up. */
  async close(): Promise<void> {
    this.#end.abort(new Error("the rollouts are not wanted any more"));
    this.#leave?.();
    await Promise.allSettled(this.#begun.values());
    this.#begun.clear();
  }
}
