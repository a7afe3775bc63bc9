import type { LossName } from "../../engine/engine.js";
import { cispo } from "./cispo.js";
import { crossEntropy } from "./cross-entropy.js";
import { dro } from "./dro.js";
import { importanceSampling } from "./importance-sampling.js";
import type { LossFunction } from "./loss.js";
import { ppo } from "./ppo.js";

export const lossFunctions: Readonly<Record<LossName, LossFunction>> = {
  cross_entropy: crossEntropy,
  importance_sampling: importanceSampling,
  ppo,
  cispo,
  dro,
};
