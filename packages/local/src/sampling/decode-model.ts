import type { AdapterParameters } from "../adapter/adapter-parameters.js";
import { adapterFeeds } from "../graph/adapter-feeds.js";
import { ATTENTION_MASK_VALUE } from "../graph/causal-mask.js";
import type { CachedGraph } from "../runtime/session-cache.js";
import { type Tensor, tensor } from "../runtime/tensor.js";
import { freshOutputs, pastInputs } from "./decode-graph.js";
import { emptyKeyValues, type KeyValueLayout, type KeyValues } from "./key-values.js";
import { type Prediction, predictionOf } from "./logprobs.js";

/** New tokens for some sequences. */
export interface DecodeInput {
  /** Row by row, `time` each; shorter rows are padded at their end with any id. */
  readonly tokens: Int32Array;
  readonly rows: number;
  readonly time: number;
  /** Cache of the tokens before; absent at the start of sequences. */
  readonly past?: { readonly keyValues: KeyValues; readonly lengths: readonly number[] };
  /** Tokens, among `rows · time`, whose logits are wanted. */
  readonly selected: Int32Array;
}

export interface DecodeOutput {
  /** Prediction of what follows the `index`-th selected token. */
  prediction(index: number): Prediction;
  /** Keys and values of the new tokens. */
  readonly keyValues: KeyValues;
}

/** A decode graph with the adapter that its runs use, or none. */
export class DecodeModel {
  readonly #layout: KeyValueLayout;
  readonly #graph: CachedGraph;
  readonly #adapter: Readonly<Record<string, Tensor>>;

  constructor(layout: KeyValueLayout, graph: CachedGraph, adapter: AdapterParameters | undefined) {
    this.#layout = layout;
    this.#graph = graph;
    this.#adapter = adapter === undefined ? {} : adapterFeeds(adapter);
  }

  async run(input: DecodeInput): Promise<DecodeOutput> {
    const { rows, time, selected } = input;
    const past = input.past ?? {
      keyValues: emptyKeyValues(this.#layout, rows, 1),
      lengths: new Array<number>(rows).fill(0),
    };
    const outputs = await this.#graph.run({
      ...this.#adapter,
      ...this.#pastFeeds(past.keyValues),
      tokens: tensor("int32", [rows, time], input.tokens),
      positions: tensor("int64", [rows, time], positionsFrom(past.lengths, time)),
      pastMask: tensor(
        "float32",
        [rows, 1, 1, past.keyValues.time],
        maskFor(past.lengths, past.keyValues.time),
      ),
      selected: tensor("int32", [selected.length], selected),
    });
    const logits = outputs.float32("logits");
    const bestLogprobs = outputs.float32("bestLogprobs");
    const width = logits.length / selected.length;
    const layers = Array.from({ length: this.#layout.layerCount }, (_, layer) => freshOutputs(layer));
    return {
      prediction: (index) =>
        predictionOf(logits.subarray(index * width, (index + 1) * width), bestLogprobs[index] ?? Number.NaN),
      keyValues: {
        rows,
        time,
        keys: layers.map((names) => outputs.float32(names.keys)),
        values: layers.map((names) => outputs.float32(names.values)),
      },
    };
  }

  #pastFeeds({ rows, time, keys, values }: KeyValues): Record<string, Tensor> {
    const { keyValueHeadCount, headSize } = this.#layout;
    const dims = [rows, keyValueHeadCount, time, headSize];
    const feeds: Record<string, Tensor> = {};
    const add = (arrays: readonly Float32Array[], part: "keys" | "values") => {
      arrays.forEach((array, layer) => {
        feeds[pastInputs(layer)[part]] = tensor("float32", dims, array);
      });
    };
    add(keys, "keys");
    add(values, "values");
    return feeds;
  }
}

/** Each row goes on where its cached tokens end. */
function positionsFrom(lengths: readonly number[], time: number): BigInt64Array {
  const positions = new BigInt64Array(lengths.length * time);
  lengths.forEach((length, row) => {
    for (let i = 0; i < time; i += 1) positions[row * time + i] = BigInt(length + i);
  });
  return positions;
}

function maskFor(lengths: readonly number[], room: number): Float32Array {
  const mask = new Float32Array(lengths.length * room).fill(ATTENTION_MASK_VALUE);
  lengths.forEach((length, row) => {
    mask.fill(0, row * room, row * room + length);
  });
  return mask;
}
