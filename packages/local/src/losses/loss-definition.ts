import type { GraphBuilder } from "../onnx/graph-builder.js";
import type { Value } from "../onnx/value.js";

/** Values of a loss in a graph, both `[rows, time, K]`. */
export interface LossValues {
  /** Loss of each token; the loss of a datum is their plain sum. */
  readonly loss: Value;
  /** dL/dp of each token. */
  readonly gradient: Value;
}

/**
 * Everything of one training objective: its name, the tensors and settings it reads, and its formula. The table `LOSSES` lists
 * them; the checks of a request, the inputs of the graph and the graph itself all follow from the entry.
 *
 * In the formulas p is the learner's log-probability of a target, q the one recorded when the token was sampled (the tensor
 * `logprobs`), A the advantage and w the weight, which multiplies the token's loss. Padding has 0 in every tensor.
 */
export interface Loss<
  Name extends string = string,
  Required extends string = string,
  Optional extends string = string,
  Setting extends string = string,
> {
  /** Value of `loss_fn` in a request. */
  readonly name: Name;
  /** Tensors of `loss_fn_inputs` without which the loss has no meaning, beside `target_tokens`. */
  readonly required: readonly Required[];
  /** Tensors that may be left out, with the number that every token then has. */
  readonly optional: Readonly<Record<Optional, number>>;
  /** Keys of `loss_fn_config`, with their defaults. */
  readonly config: Readonly<Record<Setting, number>>;
  /** Keys of `config` that a tensor of the same name may give token by token. Default none. */
  readonly perToken?: readonly NoInfer<Setting>[];
  /** Two keys of `config` of which the first may not be above the second. */
  readonly ascending?: readonly [NoInfer<Setting>, NoInfer<Setting>];
  /** Tells that the service has not published its formula, and that this is a reading of what is known. Default false. */
  readonly isAssumed?: boolean;
  /** Tells whether targets and tensors may be `(N, K)`, K targets a token. Default false. */
  readonly takesMatrix?: boolean;
  /**
   * Writes the loss and its derivative into a graph. A masked token (w = 0) must give exactly 0 in both, however large p is, and
   * the loss must read every input, since a run feeds them all.
   *
   * @param p - `[rows, time, K]`, float32
   * @param inputs - by key: tensors and settings per token are `[rows, time, K]`, the other settings scalars; all float32
   */
  forward(
    graph: GraphBuilder,
    p: Value,
    inputs: Readonly<Record<Required | Optional | Setting, Value>>,
  ): LossValues;
}

/** Gives back the loss, with the names of its inputs known to `forward`. */
export function defineLoss<
  const Name extends string,
  const Required extends string,
  const Optional extends string,
  const Setting extends string,
>(loss: Loss<Name, Required, Optional, Setting>): Loss<Name, Required, Optional, Setting> {
  return loss;
}

/** Lists the tensors that a datum may leave out. */
export function optionalTensors(loss: Loss): readonly string[] {
  return [...Object.keys(loss.optional), ...(loss.perToken ?? [])];
}

/** Lists the inputs of the graph that have a number for each token. */
export function perTokenInputs(loss: Loss): readonly string[] {
  return [...loss.required, ...optionalTensors(loss)];
}

/** Lists the inputs of the graph that have one number for all tokens. */
export function scalarInputs(loss: Loss): readonly string[] {
  return Object.keys(loss.config).filter((key) => loss.perToken?.includes(key) !== true);
}
