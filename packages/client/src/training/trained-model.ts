import { Mutex } from "@tinkex/base";
import { type QueueStateLog, trainingPauseLog } from "../channel/queue-state-log.js";
import type { Session } from "../session/session.js";
import { SequenceCounter } from "./sequence-counter.js";

/** A model on the service, with what its operations share. */
export interface TrainedModel {
  readonly id: string;
  readonly session: Session;
  /** Numbers of its requests, from 1. */
  readonly sequence: SequenceCounter;
  readonly turns: Mutex;
  readonly log: QueueStateLog;
}

/** A model none of whose requests was sent yet. */
export function trainedModel(session: Session, id: string): TrainedModel {
  return {
    id,
    session,
    sequence: new SequenceCounter(1),
    turns: new Mutex(),
    log: trainingPauseLog(`Training for ${id}`, session.core.settings),
  };
}
