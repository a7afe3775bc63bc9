import type { SamplingClient, TrainingClient } from "@tinkex/client";
import type { AdamParams, Datum, LossFnType } from "@tinkex/types";
import { sum } from "../arithmetic/sums.js";
import { checkProvenance } from "../datum/check-provenance.js";
import { numbers, plainNumbers } from "../datum/plain-numbers.js";
import type { PolicyDatum } from "../datum/trajectory-datums.js";
import { klMetrics } from "../metrics/kl-metrics.js";
import { optimizerMetrics } from "../metrics/optimizer-metrics.js";
import { rolloutMetrics } from "../metrics/rollout-metrics.js";
import { meanNll } from "../metrics/supervised-metrics.js";
import type { GroupExamples } from "../rollout/group-examples.js";
import { endOf, meanMetrics } from "../rollout/mean-metrics.js";
import type { SampledGroups } from "../rollout/rollout-pipeline.js";
import { trajectoryCounts } from "../rollout/rollout-records.js";
import { type CheckpointPlan, savedCheckpoint, submitCheckpoint } from "../run/checkpoints.js";
import type { Metrics, SavedCheckpoint } from "../run/recipe-event.js";
import type { RecipeLog } from "../run/recipe-log.js";

/** Distance of sampler and trainer from which something is wrong. */
const MAX_KL = 0.01;

/** Options of samplers whose samples a loss can only train on if the service has noted more of them. */
const STABILITY: Readonly<Record<string, { readonly record_stability_info: true }>> = {
  stable_reinforce: { record_stability_info: true },
};

/** Parts of the loop. Everything that happens at the edge is a function of it. */
export interface RlLoop {
  readonly training: TrainingClient;
  readonly log: RecipeLog;
  readonly startStep: number;
  readonly lossFn: LossFnType;
  readonly learningRateAt: (step: number) => number;
  readonly adam: Omit<AdamParams, "learning_rate">;
  readonly checkpoints: CheckpointPlan;
  readonly epochAt: (step: number) => number;
  /** Gives the groups of a step, sampled with the weights that the step begins with, or with older ones where rollouts run ahead. */
  readonly rollOut: (step: number, sampler: SamplingClient) => Promise<SampledGroups>;
  /** Makes examples of groups: by their rewards, or by what a teacher says of them. */
  readonly examplesOf: (groups: SampledGroups["groups"]) => Promise<GroupExamples>;
  readonly evaluate: (step: number) => Promise<Metrics | undefined>;
  /** Writes what was rolled out, with its advantages. */
  readonly record: (step: number, sampled: SampledGroups, data: GroupExamples["data"]) => Promise<void>;
  readonly nowMs: () => number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The loop of reinforcement learning, made to be copied: sample with the weights as they are, compare answers within their group, take one
 * step. Groups whose rewards are equal teach nothing and are left out; where all are, no step is sent, and the schedule goes on.
 *
 * @returns the last checkpoint; undefined where there was no step to do
 */
export async function rlLoop(loop: RlLoop): Promise<SavedCheckpoint | undefined> {
  const { training, log, lossFn, checkpoints, signal } = loop;
  let last: SavedCheckpoint | undefined;
  for (let step = loop.startStep; step < checkpoints.totalSteps; step += 1) {
    signal?.throwIfAborted();
    const startedAtMs = loop.nowMs();
    const evaluation = await loop.evaluate(step);
    if (evaluation !== undefined) log.evaluation(step, evaluation);
    const sampler = await training.saveWeightsAndGetSamplingClient({ signal, ...STABILITY[lossFn] });
    const sampled = await loop.rollOut(step, sampler);
    const { groups, samplerStep, tokens } = sampled;
    const sampledAtMs = loop.nowMs();
    const { data, softDatums, metrics: exampleMetrics } = await loop.examplesOf(groups);
    await loop.record(step, sampled, data);
    const learningRate = loop.learningRateAt(step);
    const trained = submitStep(loop, { data: data.flat(2), softDatums }, learningRate, samplerStep === step);
    // Between this step and the next sampling weights, or the checkpoint would hold what comes after it.
    const checkpoint = submitCheckpoint(training, step + 1, checkpoints);
    await log.step(
      step,
      {
        "progress/batch": step,
        "progress/done_frac": (step + 1) / checkpoints.totalSteps,
        "optim/lr": learningRate,
        ...rolloutMetrics(groups.filter((group) => group.length > 0).map(trajectoryCounts)),
        ...meanMetrics(groups.flat().map((member) => ({ ...member, end: endOf(member) }))),
        "groups/dropped": data.filter((group) => group.length === 0).length,
        ...exampleMetrics,
        ...(await trained()),
        ...evaluation,
        ...ageMetrics(step, samplerStep),
        "time/sampling": (sampledAtMs - startedAtMs) / 1000,
        "time/total": (loop.nowMs() - startedAtMs) / 1000,
      },
      { ...tokens, trained: sum(data.flat(2).map(({ mask }) => mask.length)) },
      checkpoint &&
        (async () => {
          last = await savedCheckpoint(checkpoint);
          await log.checkpoint(last, loop.epochAt(last.batch));
        }),
    );
  }
  return last;
}

/** Examples of a step: what was sampled, and what is trained on in its place. */
interface StepExamples {
  readonly data: readonly PolicyDatum[];
  readonly softDatums?: readonly Datum[] | undefined;
}

/** Submits pass and update; what it returns waits for them. Nothing is sent where there is nothing to learn. */
function submitStep(
  loop: RlLoop,
  { data, softDatums = data.map(({ datum }) => datum) }: StepExamples,
  learningRate: number,
  isOnPolicy: boolean,
): () => Promise<Metrics> {
  const { training, lossFn, adam, signal, log } = loop;
  if (data.length === 0) return async () => ({ "optim/skipped": 1 });
  if (lossFn === "stable_reinforce") checkProvenance(data);
  const pass = training.forwardBackward(softDatums, lossFn, { signal });
  const update = training.optimStep({ ...adam, learning_rate: learningRate }, { signal });
  return async () => {
    const [{ loss_fn_outputs }, { metrics }] = await Promise.all([pass, update]);
    const ended = { ...optimizerMetrics(metrics ?? undefined), "optim/skipped": 0 };
    if (lossFn === "cross_entropy") {
      const logged = softDatums.map((datum, index) => plainNumbers(datum, loss_fn_outputs[index]?.logprobs));
      return { train_mean_nll: meanNll(logged), ...ended };
    }
    const kl = klMetrics(
      data.map(({ logprobs, mask }, index) => {
        const trained = loss_fn_outputs[index]?.logprobs;
        return { logprobs, mask, reference: trained === undefined ? [] : numbers(trained) };
      }),
    );
    const distance = kl["optim/kl_sample_train_v1"] ?? 0;
    // Older weights differ from those that are trained, as they should.
    if (isOnPolicy && Math.abs(distance) > MAX_KL) {
      log.warn(
        `sampler and trainer are ${distance.toFixed(4)} apart, more than ${MAX_KL}: look for another renderer, or tokens made from text`,
      );
    }
    return { ...kl, ...ended };
  };
}

/** Age of the weights that sampled the groups of a step. */
function ageMetrics(step: number, samplerStep: number): Metrics {
  const names = ["min", "mean", "max"];
  return {
    ...Object.fromEntries(names.map((name) => [`sampling_client/step_${name}`, samplerStep])),
    ...Object.fromEntries(names.map((name) => [`async/staleness_${name}`, step - samplerStep])),
  };
}
