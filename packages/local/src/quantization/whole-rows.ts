/** Cuts the pieces of a matrix, which end anywhere, at the ends of its rows. */
export class WholeRows {
  readonly #columns: number;
  #rest = new Float32Array(0);

  constructor(columns: number) {
    this.#columns = columns;
  }

  /** Takes the next piece. @returns the rows that are complete by now, none of them twice */
  add(numbers: Float32Array): Float32Array {
    const all = new Float32Array(this.#rest.length + numbers.length);
    all.set(this.#rest);
    all.set(numbers, this.#rest.length);
    const end = all.length - (all.length % this.#columns);
    this.#rest = all.slice(end);
    return all.subarray(0, end);
  }
}
