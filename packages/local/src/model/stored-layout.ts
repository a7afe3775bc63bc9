import { BITS_OF_FORMAT, BLOCK_SIZE, blocksOf, type WeightFormat } from "../quantization/weight-format.js";
import type { ModelConfig } from "./model-config.js";
import type { StoredQuantizedTensor, StoredTensor } from "./model-tensors.js";
import { PAGE_BYTES } from "./page-bytes.js";
import { linearMatrices, weightShapes } from "./weight-shapes.js";

/** Places of a model's matrices in one file. Norms and biases are few bytes; they go into each graph. */
export interface StoredLayout {
  /** Those kept as float32, by the name of their tensor. */
  readonly float32: ReadonlyMap<string, StoredTensor>;
  /** Those of linear layers in few bits, by the name of the layer's weight. */
  readonly quantized: ReadonlyMap<string, StoredQuantizedTensor>;
  /** Length of them all. */
  readonly byteLength: number;
}

/** Lays the file out. Where the linear layers are quantized, the embedding stays float32: of it a graph reads a row a token. */
export function storedLayout(
  config: ModelConfig,
  format: WeightFormat,
  folder: string,
  file: string,
): StoredLayout {
  let end = 0;
  const place = (byteLength: number) => {
    const offset = Math.ceil(end / PAGE_BYTES) * PAGE_BYTES;
    end = offset + byteLength;
    return { folder, file, offset, byteLength };
  };
  const bits = BITS_OF_FORMAT[format];
  const linear = bits === undefined ? [] : linearMatrices(config);
  const isLinear = new Set(linear.map(({ name }) => name));
  const float32 = new Map<string, StoredTensor>();
  for (const [name, shape] of weightShapes(config)) {
    if (shape.length < 2 || isLinear.has(name)) continue;
    const byteLength = shape.reduce((product, length) => product * length, Float32Array.BYTES_PER_ELEMENT);
    float32.set(name, { shape, place: place(byteLength) });
  }
  const quantized = new Map<string, StoredQuantizedTensor>();
  for (const { name, tensor, shape } of linear) {
    if (bits === undefined) continue;
    const blocks = shape[0] * blocksOf(shape[1]);
    quantized.set(name, {
      bits,
      shape,
      tensor,
      packed: place((blocks * BLOCK_SIZE * bits) / 8),
      scales: place(blocks * Float32Array.BYTES_PER_ELEMENT),
    });
  }
  return { float32, quantized, byteLength: end };
}
