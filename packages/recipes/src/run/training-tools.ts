import type { Tokenizer } from "@tinkex/base";
import type { TrainingClient } from "@tinkex/client";
import { getRenderer, type Renderer, type RendererName, rendererNameFor } from "@tinkex/renderers";
import { baseModelOf } from "./open-training.js";

/** Tokenizer of a model, and its renderer once it is wanted: base models may have none that is recommended. */
export interface TrainingTools {
  readonly tokenizer: Tokenizer;
  readonly renderer: () => Renderer;
}

/** Loads the tokenizer of a training client. @param chosen - renderer, or its name; else the one that is recommended for the model */
export async function trainingTools(
  training: TrainingClient,
  model: string,
  chosen: Renderer | RendererName | undefined,
): Promise<TrainingTools> {
  const tokenizer = await training.getTokenizer();
  const name = await baseModelOf(training, model);
  let renderer = typeof chosen === "object" ? chosen : undefined;
  return {
    tokenizer,
    renderer: () => {
      renderer ??= getRenderer(typeof chosen === "string" ? chosen : rendererNameFor(name), tokenizer);
      return renderer;
    },
  };
}
