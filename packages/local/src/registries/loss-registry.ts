import type { LossProgram } from "@tinkex/tensor/loss-graph";

/** A loss that a session has uploaded, checked and ready to run. */
export interface UploadedLoss {
  readonly id: string;
  readonly sessionId: string;
  readonly program: LossProgram;
}

/** The losses of all open sessions. */
export class LossRegistry {
  readonly #losses = new Map<string, UploadedLoss>();

  add(loss: UploadedLoss): void {
    this.#losses.set(loss.id, loss);
  }

  get(lossId: string): UploadedLoss | undefined {
    return this.#losses.get(lossId);
  }

  /** Counts the losses of a session. */
  countOf(sessionId: string): number {
    return this.#ofSession(sessionId).length;
  }

  /** Forgets the losses of a session that has ended. */
  removeSession(sessionId: string): void {
    for (const { id } of this.#ofSession(sessionId)) this.#losses.delete(id);
  }

  #ofSession(wanted: string): UploadedLoss[] {
    return [...this.#losses.values()].filter(({ sessionId }) => sessionId === wanted);
  }
}
