import type { QuantizedTensor } from "../model/model-tensors.js";
import type { ElementArrays, ElementType } from "../onnx/element-type.js";
import type { GraphBuilder } from "../onnx/graph-builder.js";
import type { TensorPlace } from "../onnx/onnx-graph.js";
import type { QuantizedMatrix } from "../onnx/operators/quantized.js";
import type { Value } from "../onnx/value.js";
import { BLOCK_SIZE, blocksOf } from "../quantization/weight-format.js";

/**
 * Makes a quantized tensor part of a graph. Forward and backward half read its bytes under two names, since the operators of either
 * take them in another shape; what a graph does not use is left out of it.
 *
 * @param name - of the float32 tensor whose place it takes
 */
export function quantizedMatrix(graph: GraphBuilder, name: string, tensor: QuantizedTensor): QuantizedMatrix {
  const { bits, packed, scales } = tensor;
  const [rows, columns] = tensor.shape;
  const blocks = blocksOf(columns);
  const codeType = bits === 8 ? "uint8" : "uint4";
  return {
    bits,
    blockSize: BLOCK_SIZE,
    rows,
    columns,
    packed: constant(graph, `${name}.packed`, "uint8", [rows, blocks, (BLOCK_SIZE * bits) / 8], packed),
    codes: constant(graph, `${name}.codes`, codeType, [rows, blocks * BLOCK_SIZE], packed),
    scales: constant(graph, `${name}.scales`, "float32", [rows, blocks], scales),
  };
}

function constant<T extends ElementType>(
  graph: GraphBuilder,
  name: string,
  type: T,
  shape: readonly number[],
  data: ElementArrays[T] | TensorPlace,
): Value {
  return "file" in data
    ? graph.externalInitializer(name, type, shape, data)
    : graph.initializer(name, type, shape, data);
}
