import type { ModelConfig } from "../model/model-config.js";

/** Cosines and sines by position, each `contextLength × headSize / 2`, row-major. */
export interface RopeTables {
  readonly cosines: Float32Array;
  readonly sines: Float32Array;
}

/** Numbers on which the tables depend. */
export type RopeSettings = Pick<ModelConfig, "headSize" | "ropeTheta" | "ropeScaling" | "contextLength">;

/** Angles are multiplied in double precision and only their cosines and sines rounded to float32. */
export function ropeTables(config: RopeSettings): RopeTables {
  const frequencies = inverseFrequencies(config);
  const half = frequencies.length;
  const cosines = new Float32Array(config.contextLength * half);
  const sines = new Float32Array(config.contextLength * half);
  for (let position = 0; position < config.contextLength; position += 1) {
    frequencies.forEach((frequency, index) => {
      cosines[position * half + index] = Math.cos(position * frequency);
      sines[position * half + index] = Math.sin(position * frequency);
    });
  }
  return { cosines, sines };
}

/**
 * Radians a position for each pair of a head: `theta^(−2i / headSize)`. Llama 3's scaling divides slow frequencies by
 * `factor`, leaves fast ones, and blends linearly between the two, where fast and slow are told apart by how many turns
 * a frequency makes within the original context.
 */
export function inverseFrequencies(config: Omit<RopeSettings, "contextLength">): number[] {
  const { headSize, ropeTheta, ropeScaling } = config;
  const plain = Array.from({ length: headSize / 2 }, (_, index) => ropeTheta ** ((-2 * index) / headSize));
  if (ropeScaling === undefined) return plain;
  const { factor, lowFrequencyFactor, highFrequencyFactor, originalContextLength } = ropeScaling;
  return plain.map((frequency) => {
    const turns = (originalContextLength * frequency) / (2 * Math.PI);
    const blend = (turns - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor);
    const keep = Math.min(1, Math.max(0, blend));
    return frequency * (keep + (1 - keep) / factor);
  });
}
