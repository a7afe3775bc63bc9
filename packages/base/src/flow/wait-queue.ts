import { onAbort } from "../abort/on-abort.js";
import { LinkedList, type ListEntry } from "./linked-list.js";

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

/** One who waits, in the order of arrival. */
interface Place<Note, Entry> {
  readonly ticket: Ticket;
  readonly waiter: Waiter<Note, Entry>;
}

/** A queue of waits in the order of their tickets. A wait that is aborted leaves it at once. */
export class WaitQueue<Note, Entry> {
  /** Ascending by ticket. */
  readonly #places = new LinkedList<Place<Note, Entry>>();
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
    return new Promise<Entry>((resolve, reject) => {
      const waiter = new PromisedWaiter<Note, Entry>(note, resolve, reject);
      const place = this.#add(waiter, ticket);
      waiter.stopListening = onAbort(signal, (reason) => {
        this.#places.remove(place);
        reject(reason);
      });
    });
  }

  /** Lines up without a promise. Returns a function that leaves the queue. */
  enqueue(waiter: Waiter<Note, Entry>, ticket: Ticket = this.takeTicket()): () => void {
    const place = this.#add(waiter, ticket);
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

  #add(waiter: Waiter<Note, Entry>, ticket: Ticket): ListEntry<Place<Note, Entry>> {
    // Nearly all who come are the last.
    return this.#places.add({ ticket, waiter }, (other) => other.ticket <= ticket);
  }
}

/** Someone who waits for a promise, for no longer than until a signal aborts. One object: thousands wait at a time. */
class PromisedWaiter<Note, Entry> implements Waiter<Note, Entry> {
  readonly note: Note;
  /** Lets go of the signal. */
  stopListening: (() => void) | undefined;
  readonly #resolve: (entry: Entry) => void;
  readonly #reject: (error: unknown) => void;

  constructor(note: Note, resolve: (entry: Entry) => void, reject: (error: unknown) => void) {
    this.note = note;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  admit(entry: Entry): void {
    this.stopListening?.();
    this.#resolve(entry);
  }

  refuse(error: unknown): void {
    this.stopListening?.();
    this.#reject(error);
  }
}
