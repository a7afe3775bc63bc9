import { ApiStatusError, Mutex } from "@tinkex/base";
import type { OperationName, RequestOf, ResultOf } from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import { type QueueStateLog, trainingPauseLog } from "../channel/queue-state-log.js";
import type { OperationContext } from "../future/operation-context.js";
import { KnownCheckpoints } from "./checkpoints/known-checkpoints.js";
import { isOutOfOrder, settleResult } from "./settle-result.js";
import { isSequenceConflict, lostError, settleSequence } from "./settle-sequence.js";

/** Sequence id of one request. */
export interface SequenceId {
  readonly value: number;
  /** Says that the service has refused a request under this id: it may count the id as used, or want it again. */
  readonly wasRefused: boolean;
  /** Counts the times that the ids had to go back. */
  readonly era: number;
}

/** Sequence ids of one model's requests, in ascending order: those that were given back first, then the next new one. A gap would keep the
 * service waiting for ever. */
export class SequenceCounter {
  #next: number;
  #era = 0;
  /** Ascending. */
  #unused: SequenceId[] = [];

  constructor(first: number) {
    this.#next = first;
  }

  /** An id that belongs to the caller alone. */
  take(): SequenceId {
    const unused = this.#unused.shift();
    if (unused !== undefined) return unused;
    this.#next += 1;
    return { value: this.#next - 1, wasRefused: false, era: this.#era };
  }

  /**
   * Goes back to the id that the service wants, which has refused a later one.
   *
   * @param refused - told of once in an era: others that were on their way with it are refused as well
   */
  goOnFrom(value: number, refused: SequenceId): void {
    if (refused.era !== this.#era) return;
    this.#era += 1;
    this.#next = value;
    this.#unused = [];
  }

  /** Takes ids back under which the service has taken nothing. Those from before the ids went back are counted again by now. */
  giveBack(ids: readonly SequenceId[]): void {
    const own = ids.filter(({ era }) => era === this.#era);
    this.#unused = [...this.#unused, ...own].sort((a, b) => a.value - b.value);
  }
}

/** A model on the service, with what its operations share. */
export interface TrainedModel {
  readonly id: string;
  readonly channel: Channel;
  /** Ids of its requests, from 1. */
  readonly sequence: SequenceCounter;
  /** Its operations leave one after the other, in the order of the calls. */
  readonly turns: Mutex;
  readonly log: QueueStateLog;
  /** Says that the service may not have counted the id of work that failed: the next operation waits until its own was the right one. */
  isOrderInDoubt: boolean;
  readonly checkpoints: KnownCheckpoints;
  /** Has the session forget the model, when no more of its operations will be called. */
  leaveSession(): void;
}

/** A model none of whose requests was sent yet. */
export function trainedModel(channel: Channel, id: string): TrainedModel {
  const model: TrainedModel = {
    id,
    channel,
    sequence: new SequenceCounter(1),
    turns: new Mutex(),
    log: trainingPauseLog(`Training for ${id}`, channel.environment),
    isOrderInDoubt: false,
    checkpoints: new KnownCheckpoints(channel.environment.checkpointLives),
    leaveSession: channel.session.onLost((cause) => model.turns.break(lostError(model, cause))),
  };
  channel.models.add(id);
  return model;
}

/** The operations of a model that are one JSON request. */
export type SingleOperationName = Extract<
  OperationName,
  "optim_step" | "load_weights" | "save_weights" | "save_weights_for_sampler" | "save_weights_external"
>;

/**
 * Runs an operation that is one request: sends it in its turn, and waits for the result outside of it.
 *
 * @param fields - the record, apart from the model's id and the sequence id
 * @param recover - gives the result in spite of a conflict (409) of the submission; `undefined` when there is none
 */
export async function runOperation<Name extends SingleOperationName>(
  model: TrainedModel,
  name: Name,
  fields: Omit<RequestOf<Name>, "model_id" | "seq_id">,
  context: OperationContext,
  recover?: (conflict: ApiStatusError) => (() => Promise<ResultOf<Name>>) | undefined,
): Promise<ResultOf<Name>> {
  const result = await model.turns.runExclusive(context.signal, () =>
    submitOperation(model, name, fields, context, recover),
  );
  context.submitted();
  return result();
}

/** Submits an operation under the next id. Where the service counts a refused one as used, the id after it is tried. */
export async function submitOperation<Name extends SingleOperationName>(
  model: TrainedModel,
  name: Name,
  fields: Omit<RequestOf<Name>, "model_id" | "seq_id">,
  context: OperationContext,
  recover: ((conflict: ApiStatusError) => (() => Promise<ResultOf<Name>>) | undefined) | undefined,
): Promise<() => Promise<ResultOf<Name>>> {
  const { channel, sequence, log } = model;
  for (;;) {
    const id = sequence.take();
    let hasLeft = false;
    try {
      // The fields are all of the record but these two, which the compiler does not see for a name that is not fixed.
      const record = { ...fields, model_id: model.id, seq_id: id.value } as unknown as RequestOf<Name>;
      // The parameters of a step were checked at the call.
      const isChecked = name === "optim_step";
      const body = channel.session.encode(name, record, { what: context.name, isChecked });
      context.sending();
      hasLeft = true;
      const delivery = { stopSignal: context.signal, finalStatuses: id.wasRefused ? [409] : undefined };
      const submission = await channel.submitBody(name, body, context, log, delivery);
      const result = settleResult(model, id, submission.result);
      if (model.isOrderInDoubt && (await isOutOfOrder(model, result))) continue;
      context.seqId ??= id.value;
      return () => result;
    } catch (error) {
      if (id.wasRefused && isSequenceConflict(name, error)) continue;
      const conflict = error instanceof ApiStatusError && error.status === 409 ? error : undefined;
      const recovered = conflict && recover?.(conflict);
      // After a doubtful try the name is taken by our own success, and with it the id.
      const isOurs = recovered !== undefined && conflict?.mayHaveArrived === true;
      const failure = isOurs ? error : settleSequence(model, name, [{ id, hasLeft, error }]);
      if (recovered === undefined) throw failure;
      return recovered;
    }
  }
}
