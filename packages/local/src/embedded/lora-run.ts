import type {
  AdamParams,
  Datum,
  ForwardBackwardOutput,
  LossFnConfig,
  LossFnType,
  OptimStepResponse,
  SampleResponse,
} from "@tinkex/types";
import { adamParamsSchema, checkSent, forwardBackwardInputSchema } from "@tinkex/types";
import type { AdaptersEngine } from "../compute/adapters-engine.js";
import type { EngineModel } from "../engine/engine.js";
import { toEngineData } from "../requests/engine-datum.js";
import { passOutput } from "../requests/pass-output.js";
import { resolveAdamParams } from "../requests/resolve-adam-params.js";
import { resolveLoss } from "../requests/resolve-loss.js";
import { asValidation } from "./as-validation.js";
import type { EmbeddedSampleOptions, EmbeddedSampleRequest } from "./embedded-sample.js";

/** A LoRA adapter that is trained in this program. Its operations run in the order of the calls. */
export interface LoraRun {
  /**
   * Computes loss and gradient of `data`, and adds the gradient to that of the passes since the last step.
   *
   * @param data - `(N,)` tokens, and targets and weights of the same length; see the losses of the API
   * @returns log-probabilities of the targets, and the summed loss in `metrics["loss:sum"]`
   * @throws ValidationError naming the datum, the tensor and the element; ClosedError
   */
  forwardBackward(
    data: readonly Datum[],
    loss_fn: LossFnType,
    loss_fn_config?: LossFnConfig,
  ): Promise<ForwardBackwardOutput>;
  /** Computes the loss of `data` alone. @throws as `forwardBackward` does */
  forward(
    data: readonly Datum[],
    loss_fn: LossFnType,
    loss_fn_config?: LossFnConfig,
  ): Promise<ForwardBackwardOutput>;
  /**
   * Takes one step of AdamW with the gradient of the passes since the last one.
   *
   * @param adam_params - @defaultValue those of the API
   * @throws ValidationError for a value out of range; ClosedError
   */
  optimStep(adam_params?: AdamParams): Promise<OptimStepResponse>;
  /**
   * Samples from the weights that the calls before leave; steps after this call do not change them.
   *
   * @throws ValidationError naming the field that is out of range; AbortedError; ClosedError
   */
  sample(request: EmbeddedSampleRequest, options?: EmbeddedSampleOptions): Promise<SampleResponse>;
  /** Forgets the adapter. */
  release(): Promise<void>;
}

/** Parts that a run is made of. */
interface LoraRunParts extends Pick<LoraRun, "sample"> {
  readonly engine: AdaptersEngine;
  readonly model: EngineModel;
  readonly adapterId: string;
  /** @throws ClosedError once the model is closed */
  readonly requireOpen: () => void;
}

/** Makes the run of an adapter that the engine has. */
export function loraRun({ engine, model, adapterId, requireOpen, sample }: LoraRunParts): LoraRun {
  const pass = async (
    data: readonly Datum[],
    loss_fn: LossFnType,
    loss_fn_config: LossFnConfig | undefined,
    isForwardOnly: boolean,
  ): Promise<ForwardBackwardOutput> => {
    requireOpen();
    const input = { data, loss_fn, ...(loss_fn_config && { loss_fn_config }) };
    const checked = checkSent(forwardBackwardInputSchema, input, "ForwardBackwardInput");
    const { engineData, resolved } = asValidation(() => {
      const loss = resolveLoss(checked.loss_fn, checked.loss_fn_config);
      return { engineData: toEngineData(checked.data, loss, model), resolved: loss };
    });
    const { loss, config: lossConfig } = resolved;
    const result = await engine.pass({
      adapterId,
      data: engineData,
      loss: loss.name,
      lossConfig,
      forwardOnly: isForwardOnly,
    });
    return passOutput(engineData, result);
  };
  return {
    forwardBackward: (data, loss_fn, loss_fn_config) => pass(data, loss_fn, loss_fn_config, false),
    forward: (data, loss_fn, loss_fn_config) => pass(data, loss_fn, loss_fn_config, true),
    async optimStep(adam_params = {}) {
      requireOpen();
      const params = checkSent(adamParamsSchema, adam_params, "AdamParams");
      return {
        metrics: await engine.optimStep(
          adapterId,
          asValidation(() => resolveAdamParams(params)),
        ),
      };
    },
    sample,
    release: () => engine.releaseAdapter(adapterId),
  };
}
