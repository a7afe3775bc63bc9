import { onAbort } from "../abort/on-abort.js";
import { LinkedList } from "./linked-list.js";

/** Gives back what was taken; further calls do nothing. */
export type Release = () => void;

/** Someone who waits, with a note for whoever admits them. */
export interface Waiter<Note, Entry> {
  readonly note: Note;
  /** Ends the wait with success. */
  admit(entry: Entry): void;
  /** Ends the wait with an error. */
  refuse(error: unknown): void;
}

/** A place in the order of arrival. */
export type Ticket = number;

/** A queue of waits in the order of their tickets. A wait that is aborted leaves it at once. */
export class WaitQueue<Note, Entry> {
  /** Ascending by ticket. */
  readonly #places = new LinkedList<{ readonly ticket: Ticket; readonly waiter: Waiter<Note, Entry> }>();
  #nextTicket: Ticket = 0;

  get length(): number {
    return this.#places.length;
  }

  /** Draws a ticket; someone who lines up more than once keeps it, and with it the place. */
  takeTicket(): Ticket {
    this.#nextTicket += 1;
    return this.#nextTicket;
  }

  /** Waits to be admitted. @throws the reason of `signal` when it aborts first */
  wait(note: Note, signal: AbortSignal, ticket: Ticket = this.takeTicket()): Promise<Entry> {
    let stopListening = (): void => {};
    const entered = new Promise<Entry>((admit, refuse) => {
      const leave = this.enqueue({ note, admit, refuse }, ticket);
      stopListening = onAbort(signal, (reason) => {
        leave();
        refuse(reason);
      });
    });
    // Its further turns of the microtask queue let someone who waits for the one before give this wait up in time.
    return entered.finally(() => stopListening());
  }

  /** Lines up without a promise. Returns a function that leaves the queue. */
  enqueue(waiter: Waiter<Note, Entry>, ticket: Ticket = this.takeTicket()): () => void {
    // Nearly all who come are the last.
    const place = this.#places.add({ ticket, waiter }, (other) => other.ticket <= ticket);
    return () => this.#places.remove(place);
  }

  /** Takes the first one out of the queue. */
  next(): Waiter<Note, Entry> | undefined {
    return this.#places.shift()?.waiter;
  }

  /** Ends every wait with `error`. */
  dismiss(error: unknown): void {
    for (const { waiter } of this.#places.clear()) waiter.refuse(error);
  }
}
