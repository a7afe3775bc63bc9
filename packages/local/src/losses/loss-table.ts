import type { LossFnType } from "@tinkex/types";
import { cispo } from "./cispo.js";
import { crossEntropy } from "./cross-entropy.js";
import { dro } from "./dro.js";
import { gspo } from "./gspo.js";
import { importanceSampling } from "./importance-sampling.js";
import type { Loss } from "./loss-definition.js";
import { ppo } from "./ppo.js";
import { stableReinforce } from "./stable-reinforce.js";

/** Losses that the server computes, each under its own name, which must be one of the protocol's. */
export const LOSSES = {
  cross_entropy: crossEntropy,
  importance_sampling: importanceSampling,
  ppo,
  cispo,
  dro,
  gspo,
  stable_reinforce: stableReinforce,
} as const satisfies { readonly [Name in LossFnType]?: Loss<Name> };

export type LossName = keyof typeof LOSSES;

/** Tells whether the table has a loss of this name. */
export function isLossName(name: string): name is LossName {
  return Object.hasOwn(LOSSES, name);
}
