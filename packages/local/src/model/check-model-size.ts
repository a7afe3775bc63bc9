import { ValidationError } from "@tinkex/base";
import type { ModelConfig } from "./model-config.js";
import { weightShapes } from "./weight-shapes.js";

/** A graph in WebAssembly holds all frozen weights, and protobuf, its format, ends at 2 GiB less a byte. */
const maximumGraphBytes = 2 ** 31 - 1;

/** Bytes of a graph beside weights and rotary tables: nodes, names, small constants. Ample for hundreds of layers. */
const structureBytes = 8 * 2 ** 20;

/** Most bytes of the rotary tables: a context of a million tokens, with heads of 64 numbers. */
const maximumRotaryTableBytes = 2 ** 28;

/** @throws ValidationError when the rotary tables, which every graph holds, would be out of proportion */
export function checkRotaryTables(config: ModelConfig, directory: string): void {
  const tableBytes = rotaryTableBytes(config);
  if (tableBytes > maximumRotaryTableBytes) {
    throw new ValidationError(
      `the model in ${directory} has max_position_embeddings ${config.contextLength} with heads of ${config.headSize}: its ` +
        `rotary tables must be at most ${maximumRotaryTableBytes} bytes, got ${tableBytes}; choose a smaller max_position_embeddings`,
    );
  }
}

/** @throws ValidationError when the model's weights, widened to float32, do not fit into one graph */
export function checkGraphSize(config: ModelConfig, directory: string): void {
  const bytes = weightBytes(config) + rotaryTableBytes(config) + structureBytes;
  if (bytes <= maximumGraphBytes) return;
  throw new ValidationError(
    `the model in ${directory} takes ${gibibytes(bytes)} GiB as float32; WebAssembly computes with at most ` +
      `${gibibytes(maximumGraphBytes)} GiB, about 530 million parameters; install onnxruntime-node, or choose a smaller model`,
  );
}

/** Bytes of all weights as float32. */
export function weightBytes(config: ModelConfig): number {
  let numbers = 0;
  for (const shape of weightShapes(config).values()) {
    numbers += shape.reduce((product, length) => product * length, 1);
  }
  return numbers * Float32Array.BYTES_PER_ELEMENT;
}

/** Cosine and sine for each position and each pair of a head. */
function rotaryTableBytes({ contextLength, headSize }: ModelConfig): number {
  return contextLength * headSize * Float32Array.BYTES_PER_ELEMENT;
}

function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(2);
}
