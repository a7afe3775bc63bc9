import { Mutex } from "@tinkex/base";
import type { OperationName, RequestOf, ResultOf } from "@tinkex/types";
import type { Channel } from "../channel/channel.js";
import { type QueueStateLog, trainingPauseLog } from "../channel/queue-state-log.js";
import type { OperationContext } from "../future/operation-context.js";

/** Sequence ids of one model's requests, in ascending order: those that were given back first, then the next new one. A gap would keep the
 * service waiting for ever. */
export class SequenceCounter {
  #next: number;
  /** Ascending. */
  #unused: number[] = [];

  constructor(first: number) {
    this.#next = first;
  }

  /** A number that belongs to the caller alone. */
  take(): number {
    const unused = this.#unused.shift();
    if (unused !== undefined) return unused;
    this.#next += 1;
    return this.#next - 1;
  }

  /** Takes numbers back that were taken and never used. */
  giveBack(numbers: readonly number[]): void {
    this.#unused = [...this.#unused, ...numbers].sort((a, b) => a - b);
  }
}

/** A model on the service, with what its operations share. */
export interface TrainedModel {
  readonly id: string;
  readonly channel: Channel;
  /** Numbers of its requests, from 1. */
  readonly sequence: SequenceCounter;
  /** Its operations leave one after the other, in the order of the calls. */
  readonly turns: Mutex;
  readonly log: QueueStateLog;
}

/** A model none of whose requests was sent yet. */
export function trainedModel(channel: Channel, id: string): TrainedModel {
  return {
    id,
    channel,
    sequence: new SequenceCounter(1),
    turns: new Mutex(),
    log: trainingPauseLog(`Training for ${id}`, channel.environment),
  };
}

/** The operations of a model that are one JSON request. */
export type SingleOperationName = Extract<
  OperationName,
  "optim_step" | "load_weights" | "save_weights" | "save_weights_for_sampler"
>;

/**
 * Runs an operation that is one request: sends it in its turn, and waits for the result outside of it.
 *
 * @param fields - the record, apart from the model's id and the sequence id
 * @param recover - gives the result in spite of an error of the submission; throws the error when there is none
 */
export async function runOperation<Name extends SingleOperationName>(
  model: TrainedModel,
  name: Name,
  fields: Omit<RequestOf<Name>, "model_id" | "seq_id">,
  context: OperationContext,
  recover?: (error: unknown) => ResultOf<Name>,
): Promise<ResultOf<Name>> {
  const { channel, sequence, turns, log } = model;
  const { result } = await turns.runExclusive(context.signal, async () => {
    const seqId = sequence.take();
    let body: Uint8Array;
    try {
      // The fields are all of the record but these two, which the compiler does not see for a name that is not fixed.
      const record = { ...fields, model_id: model.id, seq_id: seqId } as unknown as RequestOf<Name>;
      body = channel.session.encode(name, record, { what: context.name });
      context.sending();
    } catch (error) {
      // Nothing was sent: the number was not used.
      sequence.giveBack([seqId]);
      throw error;
    }
    try {
      return await channel.submitBody(name, body, context, log);
    } catch (error) {
      if (recover === undefined) throw error;
      return { result: Promise.resolve(recover(error)) };
    }
  });
  context.submitted();
  return result;
}
