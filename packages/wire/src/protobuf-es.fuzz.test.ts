import { describe, expect, it } from "vitest";
import { mutateMessage } from "./testing/protobuf/mutate-message.js";
import { randomOf } from "./testing/protobuf/random.js";
import { RANDOM_MESSAGES } from "./testing/protobuf/random-messages.js";
import { SUBJECTS, takenByBoth } from "./testing/protobuf/taken-by-both.js";

/** Cases for each message: many in the long run (`pnpm test:fuzz`), a sample of them in every run. */
const cases = Number(process.env.FUZZ_CASES ?? 800);
const seed = Number(process.env.FUZZ_SEED ?? 1);

describe("readers of protobuf, with protobuf-es as the judge", () => {
  it.each(SUBJECTS)(
    "agree on what a mutated $name is: the same values, or none",
    (subject) => {
      let [taken, refused] = [0, 0];
      for (let index = 0; index < cases; index += 1) {
        const random = randomOf(seed * 1_000_003 + index);
        const bytes = mutateMessage(RANDOM_MESSAGES[subject.name](random), subject.shape, random);
        if (takenByBoth(subject, bytes, `case ${index} of seed ${seed}`)) taken += 1;
        else refused += 1;
      }
      // Both kinds are met often enough to say something.
      expect(taken).toBeGreaterThan(cases / 5);
      expect(refused).toBeGreaterThan(cases / 5);
    },
    3_600_000,
  );
});
