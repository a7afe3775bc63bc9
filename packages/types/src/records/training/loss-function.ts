import { closedName } from "../../schema/names.js";
import type { RecordSchema } from "../../schema/record-schema.js";

/**
 * The training objectives. `cross_entropy`, `importance_sampling` and `ppo` are in every generation; `cispo` and `dro` came
 * with 0.6; `gspo`, `stable_reinforce` and `custom` (a loss uploaded before, named by the config key `loss_id`) with 0.38.
 */
export type LossFnType =
  | "cross_entropy"
  | "importance_sampling"
  | "ppo"
  | "cispo"
  | "dro"
  | "gspo"
  | "stable_reinforce"
  | "custom";

export const lossFnTypeSchema: RecordSchema<LossFnType> = closedName([
  "cross_entropy",
  "importance_sampling",
  "ppo",
  "cispo",
  "dro",
  "gspo",
  "stable_reinforce",
  "custom",
]);

/** Options of a loss, by name, e.g. `{ clip_low_threshold: 0.8, clip_high_threshold: 1.2 }`. Texts since 0.38. */
export type LossFnConfig = Readonly<Record<string, number | string>>;
