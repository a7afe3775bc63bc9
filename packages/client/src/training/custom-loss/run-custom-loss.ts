import { raceAbort } from "@tinkex/base";
import type { CustomLoss, Datum } from "@tinkex/types";
import type { FutureWork } from "../../future/operation-context.js";
import { combineOutputs, type PassOutput } from "../passes/combine-outputs.js";
import { passResults, sendPass } from "../passes/training-pass.js";
import type { TrainedModel } from "../trained-model.js";
import { customBackwardData, customForwardData, customOutput, logprobsOf } from "./custom-loss.js";

/**
 * Runs a custom loss: a pass that scores the targets, the loss here, and a pass that has its gradient. Both passes are one
 * turn, so that nothing called later comes between them.
 */
export async function runCustomLoss(
  model: TrainedModel,
  call: { readonly data: readonly Datum[]; readonly loss: CustomLoss; readonly startedAtMs: number },
  work: FutureWork,
): Promise<PassOutput> {
  const { data, loss, startedAtMs } = call;
  const forwardData = customForwardData(data);
  const send = (passData: readonly Datum[], forwardOnly: boolean) =>
    sendPass(
      model,
      {
        method: "TrainingClient.forward_backward_custom",
        data: passData,
        lossFn: "cross_entropy",
        lossFnConfig: undefined,
        forwardOnly,
        startedAtMs,
      },
      work,
    );
  const { backward, value } = await model.turns.runExclusive(work.signal, async () => {
    const scored = combineOutputs(await passResults(await send(forwardData, true)));
    const logprobs = logprobsOf(scored, data);
    // The loss is not ours to stop; once nobody waits for it, it must not hold up the turns behind it.
    const value = await raceAbort(work.signal, async () => loss(data, logprobs));
    work.signal.throwIfAborted();
    const backwardData = customBackwardData(forwardData, logprobs, value.gradients);
    return { backward: await send(backwardData, false), value };
  });
  work.submitted();
  return customOutput(combineOutputs(await passResults(backward)), value);
}
