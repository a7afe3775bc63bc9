/** A source of uniform numbers in [0, 1) with 53 random bits. */
export type RandomStream = () => number;

/**
 * The random stream of a seed and a name: equal seed and name give equal numbers on every machine, and streams of
 * different names under one seed are unrelated, so that using one more of them changes none of the others.
 *
 * The generator is xoshiro128** (Blackman and Vigna, 2018). Its state comes from mixing the 64 bits of the seed and a
 * hash of the name with the finaliser of MurmurHash3.
 *
 * @param seed - any integer within ±2^53
 */
export function randomStream(seed: number, name: string): RandomStream {
  let hash = 0x811c9dc5;
  const absorb = (word: number) => {
    hash = mix(hash ^ word);
  };
  absorb(seed | 0);
  absorb(Math.floor(seed / 2 ** 32) | 0);
  for (let i = 0; i < name.length; i += 1) absorb(name.charCodeAt(i) + 1);
  const word = () => {
    hash = (hash + 0x9e3779b9) | 0;
    return mix(hash);
  };
  const next = xoshiro128StarStar([word(), word(), word(), word() | 1]);
  // Two words make 53 bits: the upper 27 of one and the upper 26 of the other.
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) * 2 ** -53;
}

/** The 32-bit generator itself, from a state that is not all zero. Yields unsigned integers. */
export function xoshiro128StarStar(state: readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = state;
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** MurmurHash3's finaliser: every input bit changes about half of the output bits. */
function mix(word: number): number {
  let mixed = word;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
