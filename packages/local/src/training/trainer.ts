import { type AdapterParameters, adaptedModules } from "../adapter/adapter-parameters.js";
import type { AdapterTensors } from "../adapter/adapter-tensors.js";
import type { AdapterShape, EngineDatum, PassResult } from "../engine/engine.js";
import { adapterFeeds } from "../graph/adapter-feeds.js";
import { adapterGradientOutputs } from "../graph/adapter-gradients.js";
import type { Loss } from "../losses/loss-definition.js";
import type { ModelConfig } from "../model/model-config.js";
import type { GraphWeights } from "../model/model-tensors.js";
import { nextTurn } from "../runtime/next-turn.js";
import type { Outputs, Runtime } from "../runtime/runtime.js";
import { SessionCache } from "../runtime/session-cache.js";
import { batchFeeds } from "./batch-feeds.js";
import { type PlannedBatch, planBatches } from "./plan-batches.js";
import { addTensors } from "./tensor-arithmetic.js";
import { BLOCK_LENGTH, DEFAULT_ROW_BYTES, tokensPerRun, trainingBytesPerToken } from "./tokens-per-run.js";
import { trainingGraph } from "./training-graph.js";

export interface TrainerOptions {
  readonly config: ModelConfig;
  readonly weights: GraphWeights;
  readonly runtime: Runtime;
  /** Most tokens in one run of the graph, padding included; larger passes are split and added up. Default: by `runBytes`. */
  readonly maxTokensPerRun?: number;
  /** Bytes that the intermediate results of one run may take. @defaultValue `DEFAULT_RUN_BYTES` */
  readonly runBytes?: number | undefined;
  /**
   * Bytes up to which one row is computed at once. A longer one is computed by blocks, in about as much time.
   * @defaultValue `DEFAULT_ROW_BYTES`
   */
  readonly rowBytes?: number | undefined;
  /** Tokens a block of such a row. @defaultValue `BLOCK_LENGTH` */
  readonly blockLength?: number;
  /** Awaited between runs, each of which blocks the thread. Default: let the event loop turn. */
  readonly betweenRuns?: () => Promise<void>;
}

export interface TrainingPass {
  readonly parameters: AdapterParameters;
  readonly data: readonly EngineDatum[];
  readonly loss: Loss;
  /** Resolved: every key the loss reads is there. */
  readonly lossConfig: Readonly<Record<string, number>>;
  /** The gradient of the summed loss is added here; without it the pass is forward only. */
  readonly gradients?: AdapterTensors;
}

/** Runs passes of one base model for any of its adapters. */
export interface Trainer {
  /**
   * Log-probabilities and loss of `data`, and their gradient. A pass that fails leaves `gradients` untouched.
   * The caller must not change `parameters` meanwhile.
   */
  pass(request: TrainingPass): Promise<PassResult>;
  /** Frees the compiled graphs. */
  release(): Promise<void>;
}

/** Measured on a 4-layer model: starting a run costs about as much as computing this many tokens. */
const runOverheadTokens = 48;

export function createTrainer(options: TrainerOptions): Trainer {
  const { config, weights, runtime, betweenRuns = nextTurn } = options;
  const { maxTokensPerRun: fixed, runBytes } = options;
  const { rowBytes = DEFAULT_ROW_BYTES, blockLength = BLOCK_LENGTH } = options;
  const maxTokensPerRun = fixed === undefined ? tokensPerRun(config, runBytes) : () => fixed;
  const sessions = new SessionCache(runtime);
  const graphFor = (
    shape: AdapterShape,
    loss: Loss,
    hasBackwardPass: boolean,
    isLong: boolean,
    onCompiled: (waitedMs: number) => void,
  ) => {
    const parts = [shape.trainAttention, shape.trainMlp, shape.trainUnembedding];
    const build = () => {
      const adapted = new Set(adaptedModules(config, shape).map(({ module }) => module));
      const length = isLong ? blockLength : undefined;
      return trainingGraph({
        config,
        weights,
        adapted,
        loss,
        backward: hasBackwardPass,
        blockLength: length,
      });
    };
    return sessions.graph([loss.name, hasBackwardPass, isLong, ...parts].join(), build, onCompiled);
  };
  /** A run of one row that is too long to be computed at once: its padding fills the last block. */
  const inBlocks = ({ indices, time }: PlannedBatch): PlannedBatch | undefined => {
    if (indices.length > 1 || time * trainingBytesPerToken(config, time) <= rowBytes) return undefined;
    return { indices, time: Math.ceil(time / blockLength) * blockLength };
  };
  return {
    async pass({ parameters, data, loss, lossConfig, gradients }) {
      let compileMs = 0;
      const graph = (isLong: boolean) =>
        graphFor(parameters.shape, loss, gradients !== undefined, isLong, (waitedMs) => {
          compileMs += waitedMs;
        });
      const adapter = adapterFeeds(parameters);
      /** Sum of the runs so far, in the arrays that the first one gave. */
      let total: AdapterTensors | undefined;
      const logprobs: Float32Array[] = data.map(() => new Float32Array(0));
      let lossSum = 0;
      for (const planned of planBatches(data, { maxTokensPerRun, runOverheadTokens })) {
        const long = inBlocks(planned);
        const batch = long ?? planned;
        const feeds = { ...batchFeeds(data, batch, loss, lossConfig), ...adapter };
        const outputs = await graph(long !== undefined).run(feeds);
        readLogprobs(outputs, data, batch, logprobs);
        lossSum += sum(outputs.float32("loss"));
        if (gradients !== undefined) total = added(total, readGradients(outputs, parameters));
        await betweenRuns();
      }
      if (gradients !== undefined && total !== undefined) addTensors(gradients, total);
      return { logprobs, lossSum, ...(compileMs > 0 ? { compileMs } : {}) };
    },
    release: () => sessions.release(),
  };
}

/** Cuts the padding off each row and puts the rest where the datum stands in the request. */
function readLogprobs(
  outputs: Outputs,
  data: readonly EngineDatum[],
  batch: PlannedBatch,
  logprobs: Float32Array[],
): void {
  const all = outputs.float32("logprobs");
  const rowSize = all.length / batch.indices.length;
  batch.indices.forEach((index, row) => {
    const start = row * rowSize;
    logprobs[index] = all.slice(start, start + (data[index]?.targets.length ?? 0));
  });
}

function readGradients(outputs: Outputs, { pairs }: AdapterParameters): AdapterTensors {
  return pairs.map(({ module }) => {
    const names = adapterGradientOutputs(module);
    return { a: outputs.float32(names.a), b: outputs.float32(names.b) };
  });
}

function added(total: AdapterTensors | undefined, addend: AdapterTensors): AdapterTensors {
  if (total === undefined) return addend;
  addTensors(total, addend);
  return total;
}

/** In double precision; padding holds exact zeros. */
function sum(values: Float32Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
