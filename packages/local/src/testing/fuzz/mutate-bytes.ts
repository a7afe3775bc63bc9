import type { Dice } from "./dice.js";

/** Changes one to four places of a body: bytes that are changed, put in, left out, repeated or cut off. */
export function mutateBytes(bytes: Uint8Array, dice: Dice): Uint8Array {
  let mutated = Buffer.from(bytes);
  for (let times = 1 + dice.below(4); times > 0; times -= 1) {
    const at = dice.below(mutated.length + 1);
    const length = 1 + dice.below(16);
    const [before, here, after] = [
      mutated.subarray(0, at),
      mutated.subarray(at, at + length),
      mutated.subarray(at + length),
    ];
    const noise = Buffer.from(
      Array.from({ length: dice.below(6) }, () => dice.of([0, 1, 0x7f, 0x80, 0xff, dice.below(256)])),
    );
    mutated = dice.of([
      () => Buffer.concat([before, noise, after]),
      () => Buffer.concat([before, noise, here, after]),
      () => Buffer.concat([before, ...new Array<Buffer>(10 ** dice.below(4)).fill(here), after]),
      () => Buffer.from(before),
    ])();
  }
  return mutated;
}
