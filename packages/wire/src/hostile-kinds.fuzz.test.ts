import { describe, expect, it } from "vitest";
import { HOSTILE_KINDS } from "./testing/protobuf/hostile-kinds.js";
import { randomOf } from "./testing/protobuf/random.js";
import { RANDOM_MESSAGES } from "./testing/protobuf/random-messages.js";
import { SUBJECTS, takenByBoth } from "./testing/protobuf/taken-by-both.js";

/** Bodies of each kind and message: many in the long run (`pnpm test:fuzz`), a sample of them in every run. */
const cases = Number(process.env.FUZZ_CASES ?? 100);
const seed = Number(process.env.FUZZ_SEED ?? 1);

describe.each(SUBJECTS)("a $name, with protobuf-es as the judge", (subject) => {
  it.each(Object.entries(HOSTILE_KINDS))(
    "is read alike or refused by both: %s",
    (_, makeBodies) => {
      let [index, count, taken] = [0, 0, 0];
      // Goes on past the number while both readers refuse all, as they may a few bodies of groups that nest too deep.
      for (; count < cases || taken === 0; index += 1) {
        // A few random messages are empty, of which a kind makes nothing.
        expect(index, "messages of which nothing was made, or taken").toBeLessThan(10 * cases + 100);
        const random = randomOf(seed * 1_000_033 + index);
        const [first, second] = [
          RANDOM_MESSAGES[subject.name](random),
          RANDOM_MESSAGES[subject.name](random),
        ];
        for (const [place, bytes] of makeBodies(first, second, subject.shape, random).entries()) {
          if (takenByBoth(subject, bytes, `body ${place} of case ${index} of seed ${seed}`)) taken += 1;
          count += 1;
        }
      }
    },
    3_600_000,
  );
});
