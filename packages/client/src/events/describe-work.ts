import type {
  Datum,
  ModelInput,
  OptimStepResponse,
  SampleRequest,
  SampleResponse,
  SavedCheckpointKind,
} from "@tinkex/types";
import { chunkLength } from "../inputs/model-input.js";
import type { OperationDescription } from "./operation-events.js";

/** Describes a training pass: its loss, datums and tokens, and the metrics that come out. */
export function describePass<T>(
  data: readonly Datum[],
  lossFn: string,
  metricsOf: (value: T) => Readonly<Record<string, number>> | undefined,
): OperationDescription<T> {
  return {
    given: () => {
      let inputTokenCount = 0;
      for (const { model_input } of data) inputTokenCount += tokenCount(model_input);
      return { lossFn, datumCount: data.length, inputTokenCount };
    },
    outcome: (value) => ({ metrics: metricsOf(value) }),
  };
}

/** Describes a step of the optimizer by its metrics. */
export function describeStep(): OperationDescription<OptimStepResponse> {
  return { outcome: ({ metrics }) => ({ metrics }) };
}

/** Describes a sample by its sizes and parameters. Stop strings are left out: they may be parts of a prompt. */
export function describeSample<T>(
  { prompt, num_samples, sampling_params }: SampleRequest,
  responseOf: (value: T) => SampleResponse | undefined,
): OperationDescription<T> {
  return {
    given: () => ({
      inputTokenCount: tokenCount(prompt),
      sampleCount: num_samples,
      maxTokens: sampling_params.max_tokens,
      temperature: sampling_params.temperature,
      topP: sampling_params.top_p,
      topK: sampling_params.top_k,
      seed: sampling_params.seed,
    }),
    outcome: (value) => {
      const response = responseOf(value);
      if (response === undefined) return {};
      let outputTokenCount = 0;
      for (const { tokens } of response.sequences) outputTokenCount += tokens.length;
      return {
        outputTokenCount,
        cachedTokenCount: response.prompt_cache_hit_tokens,
        stopReasons: response.sequences.map(({ stop_reason }) => stop_reason),
      };
    },
    content: {
      given: () => ({ type: "content.prompt", prompt, stop: sampling_params.stop }),
      outcome: (value) => {
        const response = responseOf(value);
        return response && { type: "content.sequences", sequences: response.sequences };
      },
    },
  };
}

/** Describes a save under a name by the path it gives. */
export function describeSave<T extends { readonly path?: string | undefined }>(
  kind: SavedCheckpointKind,
): OperationDescription<T> {
  return { outcome: ({ path }) => (path === undefined ? {} : { checkpoint: { kind, path } }) };
}

function tokenCount({ chunks }: ModelInput): number {
  let count = 0;
  for (const chunk of chunks) count += chunkLength(chunk);
  return count;
}
