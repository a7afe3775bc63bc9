import type { LossName } from "../engine/engine.js";
import { AdapterGradients } from "../graph/adapter-gradients.js";
import { decoder, decoderBackward } from "../graph/decoder.js";
import { lossFunctions } from "../graph/losses/loss-functions.js";
import { modelValues } from "../graph/model-values.js";
import { targetLogprobs, targetLogprobsBackward } from "../graph/target-logprobs.js";
import type { ModelConfig } from "../model/model-config.js";
import type { ModelWeights } from "../model/model-weights.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import type { OnnxGraph } from "../onnx/onnx-graph.js";

export interface TrainingGraphOptions {
  readonly config: ModelConfig;
  readonly weights: Pick<ModelWeights, "get">;
  /** Names of the linear layers that carry an adapter. */
  readonly adapted: ReadonlySet<string>;
  readonly loss: LossName;
  /** Whether the graph also gives the gradients of the adapters. */
  readonly backward: boolean;
}

/**
 * Forward pass, loss and, if asked for, backward pass of a model with adapters, as one graph.
 *
 * Inputs: `tokens` int32 `[rows, time]`, `targets` int32 `[rows, time, K]`, those of `LossInputs` that the loss reads,
 * and the adapter. Outputs: `logprobs` and `loss`, `[rows, time, K]`, and the gradient of the summed loss for every
 * factor of the adapter. K is open for cross entropy and 1 otherwise.
 */
export function trainingGraph(options: TrainingGraphOptions): OnnxGraph {
  const graph = new GraphBuilder();
  const model = modelValues(graph, options.config, options.weights, options.adapted);
  const tokens = graph.input("tokens", "int32", ["rows", "time"]);
  const perToken = ["rows", "time", options.loss === "cross_entropy" ? "targets" : 1];
  const targets = graph.input("targets", "int32", perToken);
  const decoded = decoder(graph, model, tokens);
  const logprobs = targetLogprobs(graph, decoded.logits, targets);
  const { loss, gradient } = lossFunctions[options.loss](graph, {
    logprobs: logprobs.output,
    weights: graph.input("weights", "float32", perToken),
    samplerLogprobs: graph.input("samplerLogprobs", "float32", perToken),
    advantages: graph.input("advantages", "float32", perToken),
    clipLow: graph.input("clipLow", "float32", perToken),
    clipHigh: graph.input("clipHigh", "float32", perToken),
    beta: graph.input("beta", "float32", []),
  });
  const outputs = { logprobs: logprobs.output, loss };
  if (!options.backward) return graph.build(outputs);
  const adapters = new AdapterGradients();
  decoderBackward(graph, model, decoded, targetLogprobsBackward(graph, logprobs, gradient), adapters);
  return graph.build({ ...outputs, ...adapters.outputs() });
}
