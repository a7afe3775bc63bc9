import { ValidationError } from "@tinkex/base";
import { quantizedMatrix } from "../graph/quantized-matrix.js";
import { GraphBuilder } from "../onnx/graph-builder.js";
import { matMulQuantized } from "../onnx/operators/quantized.js";
import { quantizeRows } from "../quantization/quantize-rows.js";
import { BITS_OF_FORMAT, BLOCK_SIZE, type WeightFormat } from "../quantization/weight-format.js";
import type { Runtime } from "../runtime/runtime.js";
import { tensor } from "../runtime/tensor.js";

/**
 * Checks that a runtime has kernels for quantized weights. One without them widens each matrix to float32 in every run, which for a
 * token takes some twenty times as long as weights that are float32; it does so unasked.
 *
 * A product tells: one of the kernels rounds what it multiplies to 8 bits, so that of a number which is too small beside another
 * one of its block nothing is left.
 *
 * @throws ValidationError naming the remedy
 */
export async function requireQuantizedProducts(runtime: Runtime, format: WeightFormat): Promise<void> {
  const bits = BITS_OF_FORMAT[format];
  if (bits === undefined) return;
  const row = new Float32Array(BLOCK_SIZE);
  row[1] = -1;
  const graph = new GraphBuilder();
  const matrix = quantizedMatrix(graph, "probe", {
    bits,
    shape: [1, BLOCK_SIZE],
    ...quantizeRows(row, BLOCK_SIZE, bits, "probe"),
  });
  const x = graph.input("x", "float32", [1, BLOCK_SIZE]);
  const session = await runtime.compile(graph.build({ y: matMulQuantized(graph, x, matrix, 4) }));
  const numbers = new Float32Array(BLOCK_SIZE);
  numbers[0] = 1;
  numbers[1] = 0.3 / 127;
  const outputs = await session.run({ x: tensor("float32", [1, BLOCK_SIZE], numbers) });
  const [product = Number.NaN] = outputs.float32("y");
  await session.release();
  if (product === 0) return;
  const remedy = runtime.reason === "asked for" ? "leave the option runtime out" : "install onnxruntime-node";
  throw new ValidationError(
    `weights must be "float32" here, got "${format}": the ${runtime.name} runtime (${runtime.reason}) has no product with ${bits}-bit ` +
      `weights for this processor, and would widen them for every token${runtime.name === "wasm" ? `; ${remedy}` : ""}`,
    { path: ["weights"] },
  );
}
