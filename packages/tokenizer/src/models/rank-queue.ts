import { MinHeap } from "./min-heap.js";

/** Places of one rank in ascending order, of which some are taken. */
interface Run {
  readonly places: number[];
  taken: number;
}

/**
 * Queue of places by rank, of equal ranks the leftmost first. Most places of a rank are queued from left to right, in a long
 * run of one character a million of them: those are kept in lists, and only the others in a heap.
 */
export class RankQueue {
  readonly #length: number;
  readonly #runs = new Map<number, Run>();
  /** The ranks that have a run. */
  readonly #ranks = new MinHeap();
  /** Places out of their order, as rank and place in one number. */
  readonly #others = new MinHeap();
  /** The place that was taken last, and its rank. */
  place = -1;
  rank = -1;

  /** @param length - the number of places */
  constructor(length: number) {
    this.#length = length;
  }

  push(rank: number, place: number): void {
    const run = this.#runs.get(rank);
    if (run === undefined) {
      this.#runs.set(rank, { places: [place], taken: 0 });
      this.#ranks.push(rank);
    } else if ((run.places.at(-1) ?? -1) <= place) run.places.push(place);
    else this.#others.push(rank * this.#length + place);
  }

  /** Takes the first place, which {@link place} and {@link rank} then tell; false when there is none. */
  pop(): boolean {
    const rank = this.#ranks.first;
    const run = rank === undefined ? undefined : this.#runs.get(rank);
    const ofRun =
      rank === undefined || run === undefined
        ? Number.POSITIVE_INFINITY
        : rank * this.#length + (run.places[run.taken] ?? 0);
    const other = this.#others.first ?? Number.POSITIVE_INFINITY;
    const first = Math.min(ofRun, other);
    if (first === Number.POSITIVE_INFINITY) return false;
    if (other < ofRun) this.#others.pop();
    else if (rank !== undefined && run !== undefined) {
      run.taken += 1;
      if (run.taken === run.places.length) {
        this.#runs.delete(rank);
        this.#ranks.pop();
      }
    }
    this.place = first % this.#length;
    this.rank = (first - this.place) / this.#length;
    return true;
  }
}
