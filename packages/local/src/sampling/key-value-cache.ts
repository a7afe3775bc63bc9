import {
  copyKeyValues,
  emptyKeyValues,
  firstRows,
  type KeyValueLayout,
  type KeyValueSpan,
  type KeyValues,
} from "./key-values.js";

/** A sequence in a cache. */
export interface CacheRow {
  /** Where the row lies now; rows move when others leave. */
  readonly index: number;
  /** Tokens cached so far. */
  readonly length: number;
}

type MutableRow = { -readonly [K in keyof CacheRow]: CacheRow[K] };

const initialTime = 32;

/**
 * Keys and values of the sequences being generated. Rows lie one after another without gaps, so that a run takes them as
 * one tensor: a row that leaves is replaced by the last one. Room is doubled as rows and tokens come.
 */
export class KeyValueCache {
  readonly #layout: KeyValueLayout;
  readonly #longest: number;
  readonly #rows: MutableRow[] = [];
  #store: KeyValues;

  /** @param longest most tokens a row will ever have */
  constructor(layout: KeyValueLayout, longest: number) {
    this.#layout = layout;
    this.#longest = longest;
    this.#store = emptyKeyValues(layout, 0, 0);
  }

  /** In the order in which they lie. */
  get rows(): readonly CacheRow[] {
    return this.#rows;
  }

  /** Adds a row with the first `length` tokens of one elsewhere. */
  add(from: KeyValues, fromRow: number, length: number): CacheRow {
    const row = { index: this.#rows.length, length: 0 };
    this.#reserve(row.index + 1, length);
    this.#rows.push(row);
    this.append(row, { of: from, row: fromRow, start: 0 }, length);
    return row;
  }

  /** Adds tokens to the end of a row. */
  append(row: CacheRow, from: KeyValueSpan, count: number): void {
    const own = this.#own(row);
    this.#reserve(this.#rows.length, own.length + count);
    copyKeyValues(this.#layout, from, { of: this.#store, row: own.index, start: own.length }, count);
    own.length += count;
  }

  remove(row: CacheRow): void {
    const own = this.#own(row);
    const last = this.#rows.pop();
    if (last !== undefined && last !== own) {
      const to = { of: this.#store, row: own.index, start: 0 };
      copyKeyValues(this.#layout, { of: this.#store, row: last.index, start: 0 }, to, last.length);
      last.index = own.index;
      this.#rows[own.index] = last;
    }
    // What one busy moment needed is not kept for good.
    if (this.#rows.length === 0) this.#store = emptyKeyValues(this.#layout, 0, 0);
  }

  /** All rows, as a run takes them; valid until the next change. */
  view(): KeyValues {
    return firstRows(this.#layout, this.#store, this.#rows.length);
  }

  #own(row: CacheRow): MutableRow {
    const own = this.#rows[row.index];
    if (own !== row) throw new Error("The row has left the cache.");
    return own;
  }

  #reserve(rows: number, time: number): void {
    if (time > this.#longest) throw new Error(`A row of ${time} tokens is longer than ${this.#longest}.`);
    const old = this.#store;
    if (rows <= old.rows && time <= old.time) return;
    const roomFor = (needed: number, present: number, initial: number) =>
      needed <= present ? present : Math.max(initial, 2 ** Math.ceil(Math.log2(needed)));
    this.#store = emptyKeyValues(
      this.#layout,
      roomFor(rows, old.rows, 1),
      roomFor(time, old.time, initialTime),
    );
    for (const { index, length } of this.#rows) {
      const place = { row: index, start: 0 };
      copyKeyValues(this.#layout, { of: old, ...place }, { of: this.#store, ...place }, length);
    }
  }
}
