/** Distance of the seeds of two steps; those of groups and members lie between. */
const SEEDS_PER_STEP = 1_000_003;
const SEEDS_PER_GROUP = 1_009;

/** Seed of a group's first sample: below 2³¹, which every service takes. */
export function seedOf(seed: number, step: number, group: number): number {
  return (seed * 7_368_787 + step * SEEDS_PER_STEP + group * SEEDS_PER_GROUP) % 2 ** 31;
}
