import type { LossGraph } from "@tinkex/tensor/loss-graph";
import { lossGraph } from "@tinkex/tensor/loss-graph";
import type { CustomLoss } from "@tinkex/types";

const sumOf = (values: ArrayLike<number> = []): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0);
const filled = (values: ArrayLike<number> = [], value: number) => Array.from(values, () => value);

const secondToken: CustomLoss = (_, [first]) => ({
  loss: -(first?.[1] ?? 0),
  gradients: [[0, -1]],
  metrics: { "picked:last": first?.[1] ?? 0 },
});
const firstDatum: CustomLoss = (_, [first]) => ({ loss: -sumOf(first), gradients: [filled(first, -1)] });

/** Losses of the recorded program by the formula that stands there. */
export const RECORDED_LOSSES: Readonly<Record<string, CustomLoss>> = {
  "C = -logprobs[0][1]": secondToken,
  "C = -logprobs[0][1]; metrics {'picked:last': logprobs[0][1]}": secondToken,
  "C = -log(sigmoid(0.1*(sum(logprobs[0])-sum(logprobs[1])))); metrics {'margin': sum0-sum1, 'acc:mean': sum0>sum1}":
    (_, [chosen, other]) => {
      const margin = sumOf(chosen) - sumOf(other);
      const slope = 0.1 / (1 + Math.exp(0.1 * margin));
      return {
        loss: Math.log1p(Math.exp(-0.1 * margin)),
        gradients: [filled(chosen, -slope), filled(other, slope)],
        metrics: { margin, "acc:mean": margin > 0 ? 1 : 0 },
      };
    },
  "C = sum((softmax(logprobs[0][1]) - [0,1])^2)": (_, [logprobs]) => {
    const [left, right] = [Math.exp(logprobs?.[2] ?? 0), Math.exp(logprobs?.[3] ?? 0)];
    const share = left / (left + right);
    // Shares are `share` and `1 - share`; both errors are `share`.
    const slope = 4 * share * share * (1 - share);
    return { loss: 2 * share * share, gradients: [[0, 0, slope, -slope]] };
  },
  "C = -sum(logprobs[0])": firstDatum,
  "C = -sum(logprobs[0]) (ignores the second datum)": firstDatum,
};

/** Builds the loss graphs of the recorded program, by the name of the loss, or by the formula of one that is refused. */
export const RECORDED_GRAPHS: Readonly<Record<string, () => LossGraph>> = {
  neg_ll: () =>
    lossGraph("neg_ll", { logprobs: 1, weights: 1 }, ({ logprobs, weights }) => {
      const loss = logprobs.mul(weights).sum().neg();
      return { loss, metrics: { "custom/neg_ll:sum": loss, "custom/mean_lp:mean": logprobs.mean() } };
    }),
  kitchen: () =>
    lossGraph(
      "kitchen",
      { logprobs: 1, advantages: 1, scale: 0 },
      ({ logprobs, advantages, scale }, { where, stack }) => {
        const ratio = logprobs.clamp({ min: { float: -20 }, max: Number.POSITIVE_INFINITY }).exp();
        const sum = ratio
          .at({ from: 1 }, "...")
          .to("float32")
          .mul(advantages.at({ from: 0, to: 1 }))
          .add(scale);
        const kept = where(sum.gt(0.5), sum, sum.zerosLike({ dtype: "float32" }));
        const loss = stack([kept.sum(), kept.mean({ dim: [0] }).sum()])
          .sum()
          .div(2);
        return { loss, metrics: { "custom/x-max:sum": sum.max() } };
      },
    ),
  // Numbers are not known while a graph is built: a tensor is an object, which is true.
  "branches on a tensor": () =>
    lossGraph("branch", { logprobs: 1 }, ({ logprobs }) => {
      const sum = logprobs.sum();
      return { loss: sum.gt(0) ? sum : sum.neg() };
    }),
  "metric named 'bad'": () =>
    lossGraph("badmetric", { logprobs: 1 }, ({ logprobs }) => ({
      loss: logprobs.sum(),
      metrics: { bad: logprobs.sum() },
    })),
  "ranks missing": () =>
    lossGraph("ranks", undefined as never, () => {
      throw new Error("built without ranks");
    }),
};
