import { onAbort } from "@tinkex/types/base";

/** Someone who waits, with what the one who lets them in must know. */
export interface Waiter<Note, Entry> {
  readonly note: Note;
  /** Lets the waiter in. */
  admit(entry: Entry): void;
  /** Sends the waiter away. */
  refuse(error: unknown): void;
}

/** A place in the order of arrival. */
export type Turn = number;

/** Those who wait for something, in the order of their turns. Whoever gives up leaves the line at once. */
export class WaitingLine<Note, Entry> {
  /** Ascending by turn. */
  readonly #waiters: { readonly turn: Turn; readonly waiter: Waiter<Note, Entry> }[] = [];
  #nextTurn: Turn = 0;

  get length(): number {
    return this.#waiters.length;
  }

  /** The turn of someone who comes now; who lines up more than once keeps it. */
  arrive(): Turn {
    this.#nextTurn += 1;
    return this.#nextTurn;
  }

  /** Waits to be let in. @throws the reason of `signal` when it aborts first */
  wait(note: Note, signal: AbortSignal, turn: Turn = this.arrive()): Promise<Entry> {
    let stopListening = (): void => {};
    const entered = new Promise<Entry>((admit, refuse) => {
      const place = { turn, waiter: { note, admit, refuse } };
      stopListening = onAbort(signal, (reason) => {
        const position = this.#waiters.indexOf(place);
        if (position === -1) return;
        this.#waiters.splice(position, 1);
        refuse(reason);
      });
      // Nearly all who come are the last.
      const behind = this.#waiters.findLastIndex((other) => other.turn <= turn);
      this.#waiters.splice(behind + 1, 0, place);
    });
    return entered.finally(() => stopListening());
  }

  /** Takes the first one out of the line. */
  next(): Waiter<Note, Entry> | undefined {
    return this.#waiters.shift()?.waiter;
  }

  /** Sends everyone away with `error`. */
  dismiss(error: unknown): void {
    for (const { waiter } of this.#waiters.splice(0)) waiter.refuse(error);
  }
}
