/**
 * `stepCount` batches of `batchSize` items: the data is walked through again and again, each time in a new order that
 * follows from `seed`.
 */
export function shuffledBatches<Item>(
  items: readonly Item[],
  options: { readonly stepCount: number; readonly batchSize: number; readonly seed: number },
): Item[][] {
  const random = seededRandom(options.seed);
  let queue: Item[] = [];
  return Array.from({ length: options.stepCount }, () => {
    while (queue.length < options.batchSize) queue = queue.concat(shuffle(items, random));
    const batch = queue.slice(0, options.batchSize);
    queue = queue.slice(options.batchSize);
    return batch;
  });
}

/** A new order: every item is given a random key and sorted by it. */
function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  const order = items.map((item) => ({ item, key: random() }));
  return order.sort((left, right) => left.key - right.key).map(({ item }) => item);
}

/** Numbers in [0, 1) that follow from `seed`: a Weyl sequence through the finaliser of MurmurHash3. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}
