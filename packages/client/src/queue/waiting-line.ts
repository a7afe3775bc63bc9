import { onAbort } from "@tinkex/types";
import { type Deferred, deferred } from "../future/deferred.js";

/** Someone who waits, with what the one who lets them in must know. */
export interface Waiter<Note, Ticket> {
  readonly note: Note;
  readonly entry: Deferred<Ticket>;
}

/** Those who wait for something, first come first served. Whoever gives up leaves the line at once. */
export class WaitingLine<Note, Ticket> {
  readonly #waiters: Waiter<Note, Ticket>[] = [];

  get length(): number {
    return this.#waiters.length;
  }

  /** Waits to be let in. @throws the reason of `signal` when it aborts first */
  wait(note: Note, signal: AbortSignal): Promise<Ticket> {
    const waiter: Waiter<Note, Ticket> = { note, entry: deferred() };
    this.#waiters.push(waiter);
    const leave = onAbort(signal, (reason) => {
      const position = this.#waiters.indexOf(waiter);
      if (position === -1) return;
      this.#waiters.splice(position, 1);
      waiter.entry.reject(reason);
    });
    return waiter.entry.promise.finally(leave);
  }

  /** Takes the first one out of the line, to be let in by its `entry`. */
  next(): Waiter<Note, Ticket> | undefined {
    return this.#waiters.shift();
  }

  /** Sends everyone away with `error`. */
  dismiss(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.entry.reject(error);
  }
}
