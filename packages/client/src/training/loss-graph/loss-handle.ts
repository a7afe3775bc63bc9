import { ValidationError } from "@tinkex/base";
import { bindData, checkData, checkInputs, type LossProgram, sumOfLosses } from "@tinkex/tensor/loss-graph";
import type { CustomLossInput, Datum } from "@tinkex/types";
import type { OperationContext } from "../../future/operation-context.js";
import { runCustomLoss } from "../custom-loss/custom-loss.js";
import type { PassOutput } from "../passes/combine-outputs.js";
import { runPass } from "../passes/training-pass.js";
import type { TrainedModel } from "../trained-model.js";

/** The parts of a loss that was created in a session. */
export interface CreatedLoss {
  readonly name: string;
  readonly inputs: readonly CustomLossInput[];
  readonly sessionId: string;
  readonly lossId: string | undefined;
  /** Absent for a graph that only the service can run. */
  readonly program: LossProgram | undefined;
}

/** A pass with a loss of a handle, checked and ready to run. */
export type HandlePass = (context: OperationContext) => Promise<PassOutput>;

/** Makes a handle of a created loss. */
export let lossHandleOf: (loss: CreatedLoss) => LossHandle;

/**
 * Prepares a pass with the loss of a handle: in one request that the service runs, or in the two of a loss that runs here.
 *
 * @throws ValidationError for a handle of another session, and for datums that the loss does not fit, naming datum, key and node
 */
export let handlePass: (handle: LossHandle, model: TrainedModel, data: readonly Datum[]) => HandlePass;

/** A loss that was created in a session, for `forwardBackwardCustom` of any training client of it. */
export class LossHandle {
  static {
    lossHandleOf = (loss) => new LossHandle(loss);
    handlePass = (handle, model, data) => handle.#pass(model, data);
  }

  /** The loss's name, for people. */
  readonly name: string;
  /** `logprobs`, then the keys of `loss_fn_inputs` that the loss reads, each with its rank. */
  readonly inputs: readonly CustomLossInput[];
  /** The session that created it; only its clients can use it. */
  readonly sessionId: string;
  /** The service's id of the loss; `undefined` when the loss runs here. */
  readonly lossId: string | undefined;
  readonly #program: LossProgram | undefined;

  private constructor({ name, inputs, sessionId, lossId, program }: CreatedLoss) {
    this.name = name;
    this.inputs = inputs;
    this.sessionId = sessionId;
    this.lossId = lossId;
    this.#program = program;
  }

  #pass(model: TrainedModel, data: readonly Datum[]): HandlePass {
    const method = "forwardBackwardCustom";
    const { id: sessionId } = model.channel.session;
    if (sessionId !== this.sessionId) {
      throw new ValidationError(
        `${method}: the loss "${this.name}" was created in session ${this.sessionId}, and this client is of session ${sessionId}; create the loss there too`,
        { path: ["loss"] },
      );
    }
    const { lossId } = this;
    const program = this.#program;
    if (lossId !== undefined) {
      if (program === undefined) checkInputs(this.name, this.inputs, data, method);
      else checkData(program, data, method);
      const lossFnConfig = { loss_id: lossId };
      const pass = { name: "forward_backward", data, lossFn: "custom", lossFnConfig } as const;
      return (context) => runPass(model, pass, context);
    }
    if (program === undefined) {
      throw new ValidationError(`${method}: the loss "${this.name}" can run on the service alone`, {
        path: ["loss"],
      });
    }
    const bound = bindData(program, data, method);
    return (context) =>
      runCustomLoss(model, data, (_, logprobs) => sumOfLosses(program, bound, logprobs), context, this.name);
  }
}
