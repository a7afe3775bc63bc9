import { beforeEach, expect, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { expectTerm } from "../testing/expect-term.js";
import { lossDatum } from "../testing/loss-data.js";
import { tf } from "../tf.js";
import { composeLoss } from "./compose-loss.js";
import { consistency } from "./consistency.js";

beforeEach(() => expectNoTensorLeft());

/** The last two positions are the answer, after prompts of one and of two tokens. */
const data = [
  lossDatum([3], { weights: Float32Array.of(0, 1, 1) }),
  lossDatum([4], { weights: Float32Array.of(0, 0, 1, 1) }),
];
const logprobs = [Float32Array.of(-9, -1, -2), Float32Array.of(-8, -7, -1.5, -0.5)];
const squaredGap = (a: number | undefined, b: number | undefined) => ((a ?? 0) - (b ?? 0)) ** 2;

describeOnEachBackend("consistency", () => {
  it("is the squared difference of neighbours' answers", async () => {
    await expectTerm(
      consistency({ weight: 0.5 }),
      { data, logprobs },
      ([a, b]) => squaredGap(a?.[1], b?.[2]) + squaredGap(a?.[2], b?.[3]),
    );
  });

  it("takes the pairs it is told", async () => {
    await expectTerm(
      consistency({ weight: 1, pairs: () => [[2, 0]] }),
      { data: [...data, lossDatum([2])], logprobs: [...logprobs, Float32Array.of(-3, -4)] },
      ([a, , c]) => squaredGap(a?.[1], c?.[0]) + squaredGap(a?.[2], c?.[1]),
    );
  });
});

it.each([
  ["an odd datum out", data.slice(1), undefined, "1 datums do not make pairs of neighbours"],
  ["a datum that is not there", data, () => [[0, 2]] as const, "the pair [0, 2] names data[2] of 2 datums"],
  ["pairs that are none", data, () => [[0]] as never, "pairs[0] must be two indices of datums, got an array"],
  ["what is no list of pairs", data, () => undefined as never, "pairs must return a list, got undefined"],
  ["a fraction of a datum", data, () => [[0, 0.5]] as const, "the pair [0, 0.5] names data[0.5] of 2 datums"],
  [
    "answers of different lengths",
    [data[0] ?? expect.fail(), lossDatum([4])],
    undefined,
    "data[0] has 2 positions that count and data[1] 4",
  ],
])("consistency refuses %s", async (_name, given, pairs, message) => {
  const loss = composeLoss(
    (_, tensors) => ({ loss: tf.sum(tf.concat([...tensors])) }),
    [consistency({ weight: 1, pairs })],
  );
  await expect(loss(given, logprobs.slice(-given.length))).rejects.toThrow(message);
});
