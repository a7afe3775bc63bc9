import { type AdapterParameters, loraAlpha } from "../adapter/adapter-parameters.js";
import { type Tensor, tensor } from "../runtime/tensor.js";
import { adapterInputs, adapterScaleInput } from "./model-values.js";

/** Inputs of one adapter for a run of a graph with adapters: its factors by module, and α / rank. */
export function adapterFeeds({ shape, pairs }: AdapterParameters): Record<string, Tensor> {
  const feeds: Record<string, Tensor> = {
    [adapterScaleInput]: tensor("float32", [], Float32Array.of(loraAlpha / shape.rank)),
  };
  for (const { module, a, b, dIn, dOut } of pairs) {
    const names = adapterInputs(module);
    feeds[names.a] = tensor("float32", [shape.rank, dIn], a);
    feeds[names.b] = tensor("float32", [dOut, shape.rank], b);
  }
  return feeds;
}
