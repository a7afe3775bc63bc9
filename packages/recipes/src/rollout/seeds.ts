/** Distance of the seeds of two steps; those of groups and members lie between. */
const SEEDS_PER_STEP = 1_000_003n;
const SEEDS_PER_GROUP = 1_009n;
const SEEDS_PER_RUN = 7_368_787n;

/** Number of seeds: every service takes those below it. */
const SEED_COUNT = 2 ** 31;

/** Seed of a group's first sample. Counted exactly, since the seed of a run may be as large as a time in milliseconds. */
export function seedOf(seed: number, step: number, group: number): number {
  const place =
    BigInt(seed) * SEEDS_PER_RUN + BigInt(step) * SEEDS_PER_STEP + BigInt(group) * SEEDS_PER_GROUP;
  return Number(place % BigInt(SEED_COUNT));
}

/** Seed that lies so far behind another one, and begins anew behind the last. */
export function seedBehind(seed: number, distance: number): number {
  return (seed + distance) % SEED_COUNT;
}
