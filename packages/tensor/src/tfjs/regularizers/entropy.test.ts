import { beforeEach, expect, it } from "vitest";
import { describeOnEachBackend } from "../testing/describe-on-each-backend.js";
import { expectNoTensorLeft } from "../testing/expect-no-tensor-left.js";
import { expectTerm } from "../testing/expect-term.js";
import { lossDatum } from "../testing/loss-data.js";
import { entropy } from "./entropy.js";

beforeEach(() => expectNoTensorLeft());

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describeOnEachBackend("entropy", () => {
  it("is minus the entropy of candidates", async () => {
    const probabilities = [0.5, 0.25, 0.25, 0.125, 0.5, 0.375];
    const data = [lossDatum([2, 3])];
    const logprobs = [Float32Array.from(probabilities, Math.log)];
    const metrics = await expectTerm(entropy({ weight: 0.1 }), { data, logprobs }, ([p]) =>
      sum((p ?? []).map((value) => Math.exp(value) * value)),
    );
    expect(metrics["entropy:sum"]).toBeCloseTo(-sum(probabilities.map((p) => p * Math.log(p))), 5);
  });

  it("is half the square of samples, whose estimate of the entropy it reports", async () => {
    const data = [lossDatum([3], { weights: Float32Array.of(0, 1, 1) })];
    const logprobs = [Float32Array.of(-7, -1, -2)];
    const metrics = await expectTerm(entropy({ weight: 3, name: "h" }), { data, logprobs }, ([p]) =>
      sum((p ?? []).slice(1).map((value) => value ** 2 / 2)),
    );
    expect(metrics["h:sum"]).toBeCloseTo(3, 5);
  });

  it("of samples has the gradient of the entropy in expectation", async () => {
    // One softmax of three logits; each outcome once, weighted by its probability.
    const logits = [0.3, -1.2, 0.8];
    const p = softmax(logits);
    const data = p.map(() => lossDatum([1]));
    const logprobs = p.map((value) => Float32Array.of(Math.log(value)));
    const expectation = [0, 1, 2].map((logit) =>
      // Of ½p² the gradient is p = log probability; chain rule through d log p_k / d logit = δ − p_logit.
      sum(p.map((pk, k) => pk * Math.log(pk) * ((k === logit ? 1 : 0) - (p[logit] ?? 0)))),
    );
    const step = 1e-6;
    const negativeEntropy = (values: readonly number[]) => sum(softmax(values).map((x) => x * Math.log(x)));
    for (const [index, expected] of expectation.entries()) {
      const moved = (by: number) => logits.map((value, at) => (at === index ? value + by : value));
      const exact = (negativeEntropy(moved(step)) - negativeEntropy(moved(-step))) / (2 * step);
      expect(expected).toBeCloseTo(exact, 6);
    }
    await expectTerm(entropy({ weight: 1 }), { data, logprobs }, (lists) =>
      sum(lists.flat().map((value) => value ** 2 / 2)),
    );
  });
});

function softmax(logits: readonly number[]): number[] {
  const powers = logits.map(Math.exp);
  return powers.map((power) => power / sum(powers));
}
