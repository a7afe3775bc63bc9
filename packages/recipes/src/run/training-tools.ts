import { describeValue, type Tokenizer, ValidationError } from "@tinkex/base";
import type { SamplingClient, TrainingClient } from "@tinkex/client";
import { getRenderer, type Renderer, type RendererName, rendererNameFor } from "@tinkex/renderers";
import { baseModelOf } from "./open-training.js";

/** Tokenizer of a model, and its renderer once it is wanted: base models may have none that is recommended. */
export interface TrainingTools {
  readonly tokenizer: Tokenizer;
  readonly renderer: () => Renderer;
}

/** @throws ValidationError for what is no renderer, and no name of one. Names are looked up once there is a tokenizer */
export function checkRenderer(chosen: Renderer | RendererName | undefined, place: string): void {
  if (chosen === undefined || (typeof chosen === "string" && chosen.length > 0)) return;
  if (typeof chosen === "object" && typeof chosen?.buildSupervisedExample === "function") return;
  throw new ValidationError(
    `${place} must be a renderer or the name of one, got ${describeValue(chosen)}; e.g. "qwen3", or getRenderer("qwen3", tokenizer)`,
  );
}

/** Loads the tokenizer of a training client. @param chosen - renderer, or its name; else the one that is recommended for the model */
export async function trainingTools(
  training: TrainingClient,
  model: string,
  chosen: Renderer | RendererName | undefined,
): Promise<TrainingTools> {
  const tokenizer = await training.getTokenizer();
  return toolsOf(tokenizer, await baseModelOf(training, model), chosen);
}

/** Loads the tokenizer of a sampling client. @param chosen - as `trainingTools` takes it */
export async function samplingTools(
  sampler: SamplingClient,
  chosen: Renderer | RendererName | undefined,
  signal: AbortSignal | undefined,
): Promise<TrainingTools> {
  return toolsOf(await sampler.getTokenizer({ signal }), sampler.baseModel, chosen);
}

function toolsOf(
  tokenizer: Tokenizer,
  model: string | undefined,
  chosen: Renderer | RendererName | undefined,
): TrainingTools {
  let renderer = typeof chosen === "object" ? chosen : undefined;
  return {
    tokenizer,
    renderer: () => {
      renderer ??= getRenderer(typeof chosen === "string" ? chosen : recommended(model), tokenizer);
      return renderer;
    },
  };
}

function recommended(model: string | undefined): RendererName {
  if (model !== undefined) return rendererNameFor(model);
  throw new ValidationError("the service does not say which model this is; give a renderer");
}
