import type { Tensor } from "@tensorflow/tfjs-core";
import { ValidationError } from "@tinkex/base";
import { tf } from "./tf.js";

/** Values that a function which is differentiated computes. */
export interface ForwardValue {
  /** One element; its gradient is taken. */
  readonly value: Tensor;
  /** Other tensors of one element each, to be read along with the value. */
  readonly others: readonly Tensor[];
}

/** Tensors of the caller's to dispose of. */
export interface Gradients extends ForwardValue {
  /** For each input dValue/dInput in its shape, or undefined where the value does not depend on it. */
  readonly gradients: readonly (Tensor | undefined)[];
}

/**
 * Differentiates `evaluate` with respect to `inputs`, which it may add to, on the active backend. Everything made on the way is
 * disposed of, also when `evaluate` or a gradient function throws; `tf.grads` leaves behind what it saved for the way back in
 * both cases. To be called within a `tf.tidy`.
 *
 * @throws what `evaluate` throws
 * @throws ValidationError when an operation in use has no gradient
 */
export function differentiate(inputs: Tensor[], evaluate: () => ForwardValue): Gradients {
  const kept: Tensor[] = [];
  let keptArguments: readonly Tensor[] = [];
  const forward = (): Tensor => {
    const { value, others } = evaluate();
    // Clones, so that tensors of the caller's that are returned as they are stay the caller's.
    for (const tensor of others) kept.push(tf.keep(tf.clone(tensor)));
    mendTape();
    keptArguments = keepArguments();
    return tf.clone(value);
  };
  try {
    const { value, grads } = tf.engine().gradients(forward, inputs, undefined, true);
    return { value, gradients: grads, others: kept.map((tensor) => tf.clone(tensor)) };
  } catch (error) {
    freeTape();
    throw explained(error);
  } finally {
    tf.dispose(kept);
    returnToScope(keptArguments);
  }
}

/**
 * Makes gradients of gradients right. tfjs saves the result of an operation such as `exp` for the way back, and records the
 * saving before the operation: a second way back, which goes by the order of the tape, would take the saved result for a
 * constant. Tensors are numbered in the order in which they come to be, so that is the order to go by. What is true or false
 * (a comparison on the way back of `minimum`) has no derivative, and no gradient function: it is a constant.
 */
function mendTape(): void {
  const { activeTape } = tf.engine().state;
  activeTape.sort((a, b) => (a.outputs[0]?.id ?? 0) - (b.outputs[0]?.id ?? 0));
  for (const node of activeTape) if (node.outputs[0]?.dtype === "bool") node.inputs = {};
}

/**
 * Keeps arguments of operations that bring a gradient of their own beyond the current scope: some of these gradients (that of
 * `logSigmoid`) use the argument itself rather than what was saved of it, and tfjs disposes of it before the way back.
 */
function keepArguments(): readonly Tensor[] {
  const { activeTape, activeScope } = tf.engine().state;
  const kept = activeTape
    .filter(({ kernelName }) => tf.getGradient(kernelName) === undefined)
    .flatMap(({ inputs, outputs }) =>
      // A clone is recorded so as well, and needs nothing.
      Object.values(inputs).filter(({ dataId }) => dataId !== outputs[0]?.dataId),
    )
    .filter((tensor) => !tensor.kept && tensor.scopeId === activeScope.id);
  for (const tensor of kept) tf.keep(tensor);
  return kept;
}

/** Leaves kept tensors to the scope around, which disposes of them at its end. */
function returnToScope(tensors: readonly Tensor[]): void {
  for (const tensor of tensors) {
    tensor.kept = false;
    if (!tensor.isDisposed) tf.engine().state.activeScope?.track.push(tensor);
  }
}

/** Frees what tfjs saved for the way back, unless a differentiation around this one will. */
function freeTape(): void {
  const { state } = tf.engine();
  if (state.gradientDepth > 0) return;
  for (const { saved } of state.activeTape ?? []) tf.dispose(saved ?? []);
  state.activeTape = [];
}

function explained(error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  const kernel = /gradient function not found for (\w+)/.exec(message)?.[1];
  if (kernel === undefined) return error;
  const remedy =
    tf.getGradient("Sum") === undefined
      ? "on Node, @tensorflow/tfjs-core alone has no gradients: npm install @tensorflow/tfjs, and import that"
      : "use another operation, or one whose result does not depend on the logprobs";
  return new ValidationError(`tfjs has no gradient for the operation ${kernel}; ${remedy}`, { cause: error });
}
