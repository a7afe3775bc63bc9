/** Draws of one seed, which repeat: the same seed gives the same cases on every machine. */
export interface Random {
  /** Draws an integer from 0 up to `limit`, which is left out. */
  below(limit: number): number;
  /** Draws true once in `odds` times. */
  oneIn(odds: number): boolean;
  /** Draws one of the items. */
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** Makes the draws of a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    oneIn: (odds) => below(odds) === 0,
    pick: (items) => items[below(items.length)] ?? items[0],
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  };
}
