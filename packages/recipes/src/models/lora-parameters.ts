import { checkKnownNames, describeValue, ValidationError } from "@tinkex/base";
import { findModel } from "./find-model.js";

export interface LoraParametersOptions {
  /** @defaultValue 32 */
  readonly rank?: number | undefined;
  /** Parts of the model that are adapted. @defaultValue all three */
  readonly trainMlp?: boolean | undefined;
  readonly trainAttn?: boolean | undefined;
  readonly trainUnembed?: boolean | undefined;
}

/**
 * Number of parameters of an adapter.
 *
 * @throws ValidationError for a model that is not in the table, for a rank that is no whole number from 1, and where no part is adapted
 */
export function loraParameters(model: string, options: LoraParametersOptions = {}): number {
  const known = { rank: true, trainMlp: true, trainAttn: true, trainUnembed: true } as const;
  checkKnownNames(options, known, "the options of loraParameters");
  const { rank = 32, trainMlp = true, trainAttn = true, trainUnembed = true } = options;
  if (!Number.isSafeInteger(rank) || rank < 1) {
    throw new ValidationError(`loraParameters: rank must be a whole number from 1, got ${describeValue(rank)}`);
  }
  if (!trainMlp && !trainAttn && !trainUnembed) {
    throw new ValidationError("loraParameters: one of trainMlp, trainAttn and trainUnembed must be true");
  }
  const sizes = findModel(model, "loraParameters");
  if (sizes === undefined) {
    throw new ValidationError(`loraParameters: ${JSON.stringify(model)} is not in the table of models`);
  }
  const perRank = (trainMlp ? sizes.mlp : 0) + (trainAttn ? sizes.attn : 0) + (trainUnembed ? sizes.unembed : 0);
  return rank * perRank;
}
