import { expect, it } from "vitest";
import { crossEntropy } from "../losses/cross-entropy.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { createRuntime } from "../runtime/create-runtime.js";
import { tensor } from "../runtime/tensor.js";
import { largestDifference } from "../training/testing/differences.js";
import { readGolden } from "../training/testing/golden-files.js";
import { targetLogprobs, targetLogprobsBackward } from "./target-logprobs.js";
import { expectGradientsToMatch } from "./testing/gradient-check.js";

it("has the gradient of its forward half, a repeated target counted twice", () =>
  expectGradientsToMatch({
    inputs: { logits: [2, 2, 5] },
    feeds: { targets: tensor("int32", [2, 2, 2], Int32Array.of(0, 4, 3, 3, 1, 2, 0, 0)) },
    write(graph, { logits, targets }) {
      const saved = targetLogprobs(graph, logits, targets);
      return {
        output: saved.output,
        backward: (gradient) => ({ logits: targetLogprobsBackward(graph, saved, gradient) }),
      };
    },
  }));

it.each(["native", "wasm"] as const)(
  "loss-functions 13: top-K cross entropy and its gradient of the logits on the %s runtime",
  async (runtime) => {
    const { topk_cross_entropy: golden } = readGolden<{ topk_cross_entropy: TopkVector }>(
      "losses/vectors.json",
    );
    const graph = new GraphBuilder();
    const logits = graph.input("logits", "float32", [1, 2, 4]);
    const targets = graph.input("targets", "int32", [1, 2, 2]);
    const weights = graph.input("weights", "float32", [1, 2, 2]);
    const saved = targetLogprobs(graph, logits, targets);
    const { loss, gradient } = crossEntropy.forward(graph, saved.output, { weights });
    const session = await (await createRuntime({ runtime, threads: 1 })).compile(
      graph.build({ p: saved.output, loss, dLogits: targetLogprobsBackward(graph, saved, gradient) }),
    );
    const outputs = await session.run({
      logits: tensor("float32", [1, 2, 4], Float32Array.from(golden.logits.flat())),
      targets: tensor("int32", [1, 2, 2], Int32Array.from(golden.target_tokens.flat())),
      weights: tensor("float32", [1, 2, 2], Float32Array.from(golden.weights.flat())),
    });
    expect(largestDifference(outputs.float32("p"), golden.p.flat())).toBeLessThan(1e-6);
    expect(largestDifference(outputs.float32("dLogits"), golden.dloss_dlogits.flat())).toBeLessThan(1e-6);
    expect(outputs.float32("loss").reduce((sum, value) => sum + value)).toBeCloseTo(golden.loss, 5);
    await session.release();
  },
);

interface TopkVector {
  readonly logits: number[][];
  readonly target_tokens: number[][];
  readonly weights: number[][];
  readonly p: number[][];
  readonly loss: number;
  readonly dloss_dlogits: number[][];
}
