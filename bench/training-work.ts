import {
  type AdapterParameters,
  createAdapterParameters,
} from "../packages/local/src/adapter/adapter-parameters.js";
import type { AdapterShape, EngineDatum } from "../packages/local/src/engine/engine.js";
import type { ModelConfig } from "../packages/local/src/model/model-config.js";
import { weightShapes } from "../packages/local/src/model/weight-shapes.js";
import { randomStream } from "../packages/local/src/random/random-stream.js";
import type { FloatTensor } from "../packages/local/src/safetensors/safetensors-reader.js";

/** One forward and backward pass: a model, an adapter and a batch. */
export interface TrainingWork {
  readonly config: ModelConfig;
  readonly weights: ReadonlyMap<string, FloatTensor>;
  readonly parameters: AdapterParameters;
  readonly data: readonly EngineDatum[];
}

const config: ModelConfig = {
  architecture: "llama",
  vocabularySize: 512,
  hiddenSize: 128,
  intermediateSize: 384,
  layerCount: 4,
  headCount: 4,
  keyValueHeadCount: 4,
  headSize: 32,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 512,
  attentionBias: false,
  queryKeyNorm: false,
  endTokenIds: [],
};

/**
 * Random numbers in the shape of the real thing: 4 layers of width 128.
 *
 * @param lengths tokens of each row
 */
export function trainingWork(shape: AdapterShape, lengths: readonly number[]): TrainingWork {
  const weights = new Map(
    [...weightShapes(config)].map(([name, dimensions]) => {
      const size = dimensions.reduce((product, length) => product * length, 1);
      // Norms near 1, matrices with rows of about unit length.
      const center = dimensions.length === 1 ? 1 : 0;
      const data = randomNumbers(name, size, 0.1).map((value) => center + value);
      return [name, { data, shape: dimensions }] as const;
    }),
  );
  const parameters = createAdapterParameters(config, shape, 1);
  for (const { module, b } of parameters.pairs) b.set(randomNumbers(module, b.length, 0.02));
  const data = lengths.map((length, row) => {
    const random = randomStream(2, `row ${row}`);
    const ids = () => Int32Array.from({ length }, () => Math.floor(random() * config.vocabularySize));
    const tokens = ids();
    const ones = new Float32Array(length).fill(1);
    return {
      tokens,
      targets: ids(),
      targetsPerToken: 1,
      targetsAreMatrix: false,
      lossInputs: { weights: ones },
    };
  });
  return { config, weights, parameters, data };
}

function randomNumbers(stream: string, length: number, limit: number): Float32Array {
  const random = randomStream(1, stream);
  return Float32Array.from({ length }, () => (2 * random() - 1) * limit);
}
