import { TinkexError } from "@tinkex/base";

/**
 * Part of a training call was accepted and part failed for good, so the service may wait for ever for the missing part. The
 * client takes no more operations: load the last checkpoint into a new one.
 */
export class SequenceBrokenError extends TinkexError {
  static override readonly name: string = "SequenceBrokenError";

  /** The sequence ids of the call whose fate is not known, or which never arrived. */
  readonly sequenceIds: readonly number[];

  constructor(modelId: string, sequenceIds: readonly number[], cause: unknown) {
    super(
      `the training client of ${modelId} cannot go on: the service accepted a part of one call, but not the requests with ` +
        `sequence ids ${sequenceIds.join(", ")}; load the last checkpoint into a new client ` +
        "(createTrainingClientFromStateWithOptimizer)",
      { code: "sequence_broken", cause },
    );
    this.sequenceIds = sequenceIds;
  }
}
