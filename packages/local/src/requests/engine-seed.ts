/** Seeds of more bits lose digits as a number, and the engine adds the index of a sample to them. */
const SEED_BITS = 52;

/** Any whole number of 64 bits as a seed for the engine; one from 0 to 2⁵² stays what it is. */
export function toEngineSeed(seed: number | bigint): number {
  return Number(BigInt.asUintN(SEED_BITS, BigInt(seed)));
}
