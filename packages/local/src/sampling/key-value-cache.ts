import {
  bytesPerToken,
  copyKeyValues,
  emptyKeyValues,
  firstRows,
  type KeyValueLayout,
  type KeyValueSpan,
  type KeyValues,
} from "./key-values.js";

/** A sequence in a cache. */
export interface CacheRow {
  /** Present place of the row; rows move when others leave. */
  readonly index: number;
  /** Tokens cached so far. */
  readonly length: number;
}

interface MutableRow {
  index: number;
  length: number;
  /** Most tokens it will have. */
  readonly longest: number;
}

/** A row of the keys and values that a run gave. */
interface ReadRow {
  readonly of: KeyValues;
  readonly row: number;
  readonly length: number;
}

const initialTime = 32;

/**
 * Keys and values of the sequences being generated. Rows lie one after another without gaps, so that a run takes them as
 * one tensor: a row that leaves is replaced by the last one. Room grows by half as rows and tokens come, but never beyond
 * the longest that a present row may get, nor, for the sake of rows to come, beyond the bytes it may take.
 */
export class KeyValueCache {
  readonly #layout: KeyValueLayout;
  readonly #maxBytes: number;
  readonly #rows: MutableRow[] = [];
  #store: KeyValues;

  /** @param maxBytes - not exceeded unless the present rows, as long as the longest of them may get, need more */
  constructor(layout: KeyValueLayout, maxBytes: number) {
    this.#layout = layout;
    this.#maxBytes = maxBytes;
    this.#store = emptyKeyValues(layout, 0, 0);
  }

  /** In the order in which they lie. */
  get rows(): readonly CacheRow[] {
    return this.#rows;
  }

  /** Adds a row with the first `length` tokens of one elsewhere. @param longest - most tokens it will ever have */
  add(from: ReadRow, longest: number): CacheRow {
    const row = { index: this.#rows.length, length: 0, longest };
    this.#rows.push(row);
    this.append(row, { of: from.of, row: from.row, start: 0 }, from.length);
    return row;
  }

  /** Adds tokens to the end of a row. */
  append(row: CacheRow, from: KeyValueSpan, count: number): void {
    const own = this.#own(row);
    this.#reserve(own, own.length + count);
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
    // Memory that one long row or one busy moment needed is not kept for good.
    if (this.#store.time > this.#longest()) this.#resize(this.#store.rows, this.#store.time);
  }

  /** All rows, as a run takes them; valid until the next change. */
  view(): KeyValues {
    return firstRows(this.#layout, this.#store, this.#rows.length);
  }

  #own(row: CacheRow): MutableRow {
    const own = this.#rows[row.index];
    if (own !== row) throw new Error("the row has left the cache");
    return own;
  }

  #reserve(row: MutableRow, time: number): void {
    if (time > row.longest) throw new Error(`a row must be at most ${row.longest} tokens, got ${time}`);
    const { rows: oldRows, time: oldTime } = this.#store;
    const rows = this.#rows.length;
    if (rows <= oldRows && time <= oldTime) return;
    this.#resize(grown(rows, oldRows, 1), grown(time, oldTime, initialTime));
  }

  /** Moves everything to a store of this size, or of what is allowed of it. */
  #resize(rows: number, time: number): void {
    const old = this.#store;
    const longest = this.#longest();
    const affordable = Math.floor(this.#maxBytes / (longest * bytesPerToken(this.#layout)));
    this.#store = emptyKeyValues(
      this.#layout,
      Math.max(this.#rows.length, Math.min(rows, affordable)),
      Math.min(time, longest),
    );
    for (const { index, length } of this.#rows) {
      const place = { row: index, start: 0 };
      copyKeyValues(this.#layout, { of: old, ...place }, { of: this.#store, ...place }, length);
    }
  }

  /** Most tokens any present row may get. */
  #longest(): number {
    return this.#rows.reduce((most, { longest }) => Math.max(most, longest), 0);
  }
}

function grown(needed: number, present: number, initial: number): number {
  return needed <= present ? present : Math.max(initial, needed, Math.ceil(present * 1.5));
}
