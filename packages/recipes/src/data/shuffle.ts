/**
 * Numbers from 0 to `count` − 1 in an order that the seed and the epoch decide alone, so that a run that goes on meets the batches that
 * it would have met.
 */
export function shuffledOrder(count: number, seed: number, epoch: number): number[] {
  const random = randomFrom(seed, epoch);
  const order = Array.from({ length: count }, (_, index) => index);
  for (let end = count - 1; end > 0; end -= 1) {
    const pick = Math.floor(random() * (end + 1));
    const [a = end, b = pick] = [order[pick], order[end]];
    order[end] = a;
    order[pick] = b;
  }
  return order;
}

/** Numbers in [0, 1) of two seeds: SplitMix32, whose state is a counter. */
function randomFrom(seed: number, epoch: number): () => number {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(epoch + 1, 0xc2b2ae35)) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
