import { checkObject, describeKind, ValidationError } from "@tinkex/base";
import type { CustomLossInput } from "@tinkex/types";
import type { LossGraph } from "../loss-graph.js";
import { compileLossGraph } from "../program/compile-loss-graph.js";
import { GraphWriter } from "./graph-writer.js";
import { type LossOperand, type LossTensor, lossTensor, nodeResultOf } from "./loss-tensor.js";

/** Ranks of the inputs of a loss by name: 0 for a number, 1 for `[T]`, 2 for `[T, K]`. */
export type LossRanks = { readonly logprobs: 1 | 2 } & Readonly<Record<string, 0 | 1 | 2>>;

/** The results of a loss graph. */
export interface LossResults {
  /** The loss of the datum, a scalar. */
  readonly loss: LossTensor;
  /** Scalars by name, `custom/<name>:sum` or `:mean`, which says how those of the datums are combined. @defaultValue none */
  readonly metrics?: Readonly<Record<string, LossTensor>> | undefined;
}

/** Operations that are no method of one tensor. */
export interface LossOperations {
  /** Elements of `chosen` where the mask is true, else of `other`. */
  where(condition: LossTensor, chosen: LossOperand, other: LossOperand): LossTensor;
  /** `left - right` with a number on the left, as in `1 - x`. */
  sub(left: LossOperand, right: LossOperand): LossTensor;
  /** `left / right` with a number on the left. */
  div(left: LossOperand, right: LossOperand): LossTensor;
  /** `base ** exponent` with a number on the left. */
  pow(base: LossOperand, exponent: LossOperand): LossTensor;
  /** Puts values of one shape side by side along a new dimension. @param dim - @defaultValue 0 */
  stack(tensors: readonly LossTensor[], dim?: number): LossTensor;
  /** Puts values one after the other along a dimension. @param dim - @defaultValue 0 */
  cat(tensors: readonly LossTensor[], dim?: number): LossTensor;
  /** Calls a function by its qualified name, with arguments as the graph's format has them: `call("torch.rsqrt", [x])`. */
  call(target: string, args: readonly unknown[], kwargs?: Readonly<Record<string, unknown>>): LossTensor;
  /** Calls a method of a tensor, which is the first argument: `method("mean", [x], { dim: -1 })`. */
  method(target: string, args: readonly unknown[], kwargs?: Readonly<Record<string, unknown>>): LossTensor;
}

/**
 * Builds a loss of one datum as a graph of operations, which a service can run itself, and which `createCustomLoss` and `graphLoss`
 * run here. The function is called once, now: it builds, and sees no numbers.
 *
 * @param name - for people; shown in messages
 * @param ranks - the inputs that the loss reads with the rank of each: `logprobs` first (float32, in the shape of the datum's
 *   `target_tokens`: 1 for `[T]`, 2 for `[T, K]`), then keys of `loss_fn_inputs`, 16 in all at most
 * @throws ValidationError naming node and operation
 *
 * @example
 * const clipped = lossGraph("clipped", { logprobs: 1, sampled: 1, advantages: 1 }, ({ logprobs, sampled, advantages }) => {
 *   const ratio = logprobs.sub(sampled).exp();
 *   const gain = ratio.mul(advantages).minimum(ratio.clamp({ min: 0.8, max: 1.2 }).mul(advantages));
 *   return { loss: gain.sum().neg(), metrics: { "custom/ratio:mean": ratio.mean() } };
 * });
 */
export function lossGraph<const Ranks extends LossRanks>(
  name: string,
  ranks: Ranks,
  build: (inputs: Readonly<Record<keyof Ranks, LossTensor>>, operations: LossOperations) => LossResults,
): LossGraph {
  if (typeof name !== "string" || name === "") {
    throw new ValidationError(
      `lossGraph: name must be a string that is not empty, got ${describeKind(name)}`,
      {
        path: ["name"],
      },
    );
  }
  const place = `lossGraph: loss "${name}"`;
  checkObject(ranks, `${place}: ranks`, "{ logprobs: 1, weights: 1 }");
  if (typeof build !== "function") {
    throw new ValidationError(`${place}: build must be a function, got ${describeKind(build)}`, {
      path: ["build"],
    });
  }
  const writer = new GraphWriter(place, nodeResultOf);
  const inputs = Object.entries(ranks).map(([input, rank]): CustomLossInput => ({ name: input, rank }));
  const tensors = inputs.map((input) => {
    return [input.name, lossTensor(writer, writer.add("placeholder", input.name))] as const;
  });
  // One entry for each key of the ranks, which the compiler does not follow through a list.
  const given = Object.fromEntries(tensors) as Readonly<Record<keyof Ranks, LossTensor>>;
  const { loss, metrics } = checkResults(build(given, operationsOf(writer)), place);
  writer.add("output", "output", [{ tuple: [loss, { dict: metrics }] }]);
  const graph: LossGraph = { name, inputs, graph: writer.graph };
  compileLossGraph(graph, "lossGraph");
  return graph;
}

function operationsOf(writer: GraphWriter): LossOperations {
  const call: LossOperations["call"] = (target, args, kwargs) =>
    lossTensor(writer, writer.add("call_function", target, args, kwargs));
  return {
    where: (condition, chosen, other) => call("torch.where", [condition, chosen, other]),
    sub: (left, right) => call("operator.sub", [left, right]),
    div: (left, right) => call("operator.truediv", [left, right]),
    pow: (base, exponent) => call("operator.pow", [base, exponent]),
    stack: (tensors, dim) => call("torch.stack", [tensors], { dim }),
    cat: (tensors, dim) => call("torch.cat", [tensors], { dim }),
    call,
    method: (target, args, kwargs) => lossTensor(writer, writer.add("call_method", target, args, kwargs)),
  };
}

/** Checks what the function gave back, which plain JavaScript may leave out. */
function checkResults(results: unknown, place: string): Required<LossResults> {
  checkObject(results, `${place}: the function's result`, "{ loss, metrics }");
  const { loss, metrics = {} } = results as Partial<LossResults>;
  if (typeof loss !== "object" || nodeResultOf(loss) === undefined) {
    throw new ValidationError(`${place}: the loss must be a value of the graph, got ${describeKind(loss)}`, {
      path: ["loss"],
    });
  }
  checkObject(metrics, `${place}: metrics`, '{ "custom/ratio:mean": ratio.mean() }');
  return { loss, metrics };
}
