/** Facts that the graphs need about a decoder-only transformer of the Llama family. */
export interface ModelConfig {
  readonly architecture: "llama" | "qwen2" | "qwen3";
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly layerCount: number;
  readonly headCount: number;
  /** Query head h reads key/value head `floor(h · keyValueHeadCount / headCount)`. */
  readonly keyValueHeadCount: number;
  readonly headSize: number;
  readonly ropeTheta: number;
  /** Absent: plain rotary embedding. */
  readonly ropeScaling?: Llama3RopeScaling;
  readonly rmsNormEpsilon: number;
  /** The unembedding is the embedding matrix; there is no `lm_head.weight`. */
  readonly tiedEmbeddings: boolean;
  /** Longest sequence in tokens. */
  readonly contextLength: number;
  /** Biases on the q, k and v projections. */
  readonly attentionBias: boolean;
  /** RMS norms over each query and key head. */
  readonly queryKeyNorm: boolean;
  /** Ids that end a sequence; may be empty. */
  readonly endTokenIds: readonly number[];
}

/** Scaling by which Llama 3.1 and later stretch the rotary wavelengths. */
export interface Llama3RopeScaling {
  readonly factor: number;
  readonly lowFrequencyFactor: number;
  readonly highFrequencyFactor: number;
  readonly originalContextLength: number;
}
