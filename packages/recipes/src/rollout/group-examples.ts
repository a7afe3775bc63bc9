import type { Datum } from "@tinkex/types";
import { groupAdvantages, isConstantGroup } from "../advantage/group-advantages.js";
import { type PolicyDatum, trajectoryDatums } from "../datum/trajectory-datums.js";
import type { Metrics } from "../run/recipe-event.js";
import type { Trajectory } from "./rollout-rules.js";

/** Examples of one group, trajectory by trajectory; none where the group teaches nothing. */
export type GroupData = readonly (readonly PolicyDatum[])[];

/** Examples of the groups of a step, with what there is to log. */
export interface GroupExamples {
  readonly data: readonly GroupData[];
  /** Datums to train on with `cross_entropy` in place of those of `data`, one for each of them in their order. */
  readonly softDatums?: readonly Datum[] | undefined;
  readonly metrics: Metrics;
}

/** Examples whose advantages are the rewards of a group, compared with each other; none where all are equal. */
export function rewardedExamples(group: readonly Trajectory[]): GroupData {
  const rewards = group.map(({ reward }) => reward);
  if (isConstantGroup(rewards)) return [];
  const advantages = groupAdvantages(rewards);
  return group.map(({ transitions }, member) => trajectoryDatums(transitions, advantages[member] ?? 0));
}
