import { TinkexError } from "@tinkex/base";

/** Facts that the message of a {@link SequenceBrokenError} tells of. */
interface BrokenSequence {
  readonly cause: unknown;
  /** The service has accepted a part of the call; else it is not known whether it took any of it. */
  readonly isPartAccepted: boolean;
  /** Path of the last checkpoint that training can go on from, if there is one. */
  readonly lastCheckpoint?: string | undefined;
}

/**
 * Part of a training call was accepted and part failed for good, or it is not known whether the service took it: the service may
 * wait for ever for the missing part, or have done what nobody asks the result of. The client takes no more operations: load the
 * last checkpoint into a new one.
 */
export class SequenceBrokenError extends TinkexError {
  static override readonly name: string = "SequenceBrokenError";

  /** The sequence ids of the call whose fate is not known, or which never arrived. */
  readonly sequenceIds: readonly number[];
  /** Path of the last checkpoint that this client has saved or loaded, to go on from. */
  readonly lastCheckpoint: string | undefined;

  /** @internal */
  constructor(modelId: string, sequenceIds: readonly number[], facts: BrokenSequence) {
    const { cause, isPartAccepted, lastCheckpoint } = facts;
    const ids = `the requests with sequence ids ${sequenceIds.join(", ")}`;
    const fault = isPartAccepted
      ? `the service accepted a part of one call, but not ${ids}`
      : `it is not known whether the service took ${ids}`;
    const remedy =
      lastCheckpoint === undefined
        ? "make a new client; there is no checkpoint of this one"
        : `load ${lastCheckpoint} into a new client (createTrainingClientFromStateWithOptimizer)`;
    super(`the training client of ${modelId} cannot go on: ${fault}; ${remedy}`, {
      code: "sequence_broken",
      cause,
    });
    this.sequenceIds = sequenceIds;
    this.lastCheckpoint = lastCheckpoint;
  }
}
