import { AdapterGradients } from "../graph/adapter-gradients.js";
import { decoder, decoderBackward } from "../graph/decoder.js";
import { modelValues } from "../graph/model-values.js";
import { targetLogprobs, targetLogprobsBackward } from "../graph/target-logprobs.js";
import { type Loss, perTokenInputs, scalarInputs } from "../losses/loss-definition.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import type { Shape } from "../onnx/dimension.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { OnnxGraph } from "../onnx/onnx-graph.js";
import { mergesAdapters } from "./merges-adapters.js";

export interface TrainingGraphOptions {
  readonly config: ModelConfig;
  readonly weights: GraphWeights;
  /** Names of the linear layers that carry an adapter. */
  readonly adapted: ReadonlySet<string>;
  readonly loss: Loss;
  /** True when the graph also gives the gradients of the adapters. */
  readonly backward: boolean;
}

/** Names the input of the graph for a tensor or setting of the loss; outputs such as `logprobs` keep their plain names. */
export function lossInputName(key: string): string {
  return `loss.${key}`;
}

/**
 * Forward pass, loss and, if asked for, backward pass of a model with adapters, as one graph.
 *
 * Inputs: `tokens` int32 `[rows, time]`, `targets` int32 `[rows, time, K]`, those of the loss under their
 * {@link lossInputName}, and the adapter. Outputs: `logprobs` and `loss`, `[rows, time, K]`, and the gradient of the summed
 * loss for every factor of the adapter. K is open for a loss that takes matrices and 1 otherwise.
 */
export function trainingGraph(options: TrainingGraphOptions): OnnxGraph {
  // Rows are many, so packed copies of the weights save little time; forward and backward half would need one each.
  const graph = new GraphBuilder({ isPacked: false });
  const isMerged = mergesAdapters(options.config);
  const model = modelValues(graph, options.config, options.weights, options.adapted, isMerged);
  const tokens = graph.input("tokens", "int32", ["rows", "time"]);
  const perToken = ["rows", "time", options.loss.takesMatrix === true ? "targets" : 1];
  const targets = graph.input("targets", "int32", perToken);
  const decoded = decoder(graph, model, tokens);
  const logprobs = targetLogprobs(graph, decoded.logits, targets);
  const lossInput = (shape: Shape) => (key: string) =>
    [key, graph.input(lossInputName(key), "float32", shape)] as const;
  const { loss, gradient } = options.loss.forward(
    graph,
    logprobs.output,
    Object.fromEntries([
      ...perTokenInputs(options.loss).map(lossInput(perToken)),
      ...scalarInputs(options.loss).map(lossInput([])),
    ]),
  );
  const outputs = { logprobs: logprobs.output, loss };
  if (!options.backward) return graph.build(outputs);
  const adapters = new AdapterGradients();
  decoderBackward(graph, model, decoded, targetLogprobsBackward(graph, logprobs, gradient), adapters);
  return graph.build({ ...outputs, ...adapters.outputs() });
}
