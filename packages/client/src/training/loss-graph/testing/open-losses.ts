import { lossGraph } from "@tinkex/tensor/loss-graph";
import { readPass } from "../../../testing/examples.js";
import { openTraining } from "../../../testing/open-training.js";

/** A training client of a stub service that takes uploads of losses; it runs them where `config` is {@link ON_SERVER}. */
export async function openLosses(config: object = {}) {
  const open = await openTraining(config);
  const { stub } = open;
  stub.on("create_custom_loss", ({ json }) =>
    stub.accept("CreateCustomLossResponse", { loss_id: `S:loss:${json?.custom_loss_seq_id}` }),
  );
  const passes = () => stub.seen("forward_backward").map(readPass);
  const uploads = () => stub.seen("create_custom_loss").map(({ json }) => json);
  return { ...open, passes, uploads };
}

/** Configuration of a service that runs losses itself. */
export const ON_SERVER = { custom_loss_server_side: true };

export const negativeLogLikelihood = lossGraph(
  "nll",
  { logprobs: 1, weights: 1 },
  ({ logprobs, weights }) => {
    const loss = logprobs.mul(weights).sum().neg();
    return { loss, metrics: { "custom/neg:sum": loss, "custom/m:mean": logprobs.mean() } };
  },
);

export const clippedRatio = lossGraph(
  "clipped ratio",
  { logprobs: 1, sampled: 1, advantages: 1 },
  ({ logprobs, sampled, advantages }) => {
    const ratio = logprobs.sub(sampled).exp();
    const gain = ratio.mul(advantages).minimum(ratio.clamp({ min: 0.8, max: 1.2 }).mul(advantages));
    return {
      loss: gain.sum().neg(),
      metrics: { "custom/ratio:mean": ratio.mean(), "custom/n:sum": ratio.onesLike().sum() },
    };
  },
);
