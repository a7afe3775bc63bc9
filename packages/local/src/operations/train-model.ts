import { userFailure } from "../errors/operation-failure.js";
import type { ServerState } from "../registries/server-state.js";
import type { TrainingModel } from "../registries/training-model.js";
import { otherOptimizer } from "../requests/adapter-shape.js";
import { toEngineData } from "../requests/engine-datum.js";
import type { OptimStepBody } from "../requests/model-bodies.js";
import type { PassBody } from "../requests/pass-body.js";
import { passOutput } from "../requests/pass-output.js";
import { resolveAdamParams } from "../requests/resolve-adam-params.js";
import { resolveLoss } from "../requests/resolve-loss.js";
import { runCustomPass } from "./custom-pass.js";
import { submitOperation } from "./submit-operation.js";

/** `forward_backward` and `forward`. Returns the request id. @throws RequestRefusal 404, 409 */
export function runPass(state: ServerState, body: PassBody): string {
  const model = state.models.find(body.model_id);
  return submitOperation(state, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "forward_backward", ...body },
    run: async () => {
      const { engine } = model.requireAdapter();
      const { data } = body;
      if (body.loss_fn === "custom") {
        const custom = await runCustomPass(state, model, body);
        warnOfLoss(state, model, custom.result.lossSum);
        const output = passOutput(custom.data, custom.result);
        const metrics = { ...custom.metrics, ...output.metrics };
        return { name: "ForwardBackwardOutput", result: { ...output, metrics } };
      }
      const resolved = resolveLoss(body.loss_fn, body.loss_fn_config);
      if (data.length === 0) throw userFailure("data must hold at least one datum, got none");
      const checked = toEngineData(data, resolved, engine.model);
      const result = await engine.pass({
        adapterId: model.id,
        data: checked,
        loss: resolved.loss.name,
        lossConfig: resolved.config,
        forwardOnly: body.forward_only,
      });
      if (result.compileMs !== undefined) state.tracing?.compiled(result.compileMs);
      if (resolved.loss.isAssumed === true && model.isFirstWarning("formula")) {
        state.logger.warn(
          `forward_backward: the service has not published its formula of ${resolved.loss.name}; this server computes a reading ` +
            "of what is known, see the chapter on losses of the protocol reference",
        );
      }
      warnOfLoss(state, model, result.lossSum);
      return { name: "ForwardBackwardOutput", result: passOutput(checked, result) };
    },
  });
}

function warnOfLoss(state: ServerState, model: TrainingModel, lossSum: number): void {
  if (Number.isFinite(lossSum) || !model.isFirstWarning("loss")) return;
  state.logger.warn(
    `forward_backward: the loss of model ${model.id} must be a finite number, got ${lossSum}; look at the ` +
      "tensors of its data, and at the learning rate of the steps before",
  );
}

/** `optim_step`. Returns the request id. @throws RequestRefusal 404, 409 */
export function runOptimStep(state: ServerState, body: OptimStepBody): string {
  const model = state.models.find(body.model_id);
  return submitOperation(state, {
    model,
    sequenceId: body.seq_id,
    content: { operation: "optim_step", ...body },
    run: async () => {
      const { engine } = model.requireAdapter();
      if (body.optimizer_params !== undefined) {
        throw otherOptimizer("optimizer_params.type", body.optimizer_params.type, "give adam_params");
      }
      const metrics = await engine.optimStep(model.id, resolveAdamParams(body.adam_params ?? {}));
      if (metrics["weights_diverged:max"] === 1 && model.isFirstWarning("weights")) {
        state.logger.warn(
          `optim_step: the weights of model ${model.id} are no finite numbers any more, or too large to compute with; go on ` +
            "from an earlier checkpoint, with a lower learning rate or with data whose loss is finite",
        );
      }
      return { name: "OptimStepResponse", result: { metrics } };
    },
  });
}
