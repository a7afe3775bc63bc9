import type { Datum } from "@tinkex/types";
import type { Message } from "../messages/message.js";
import type { Renderer } from "../renderer/renderer.js";
import type { TrainOn } from "../renderer/train-on.js";
import { type DatumOptions, datumFromTokens } from "./datum-from-tokens.js";

export interface MessagesDatumOptions extends DatumOptions {
  /** Tokens to train on. @defaultValue "all_assistant_messages" */
  readonly trainOn?: TrainOn | undefined;
}

/**
 * A conversation as one training example for the loss `cross_entropy`.
 *
 * @throws ValidationError when the renderer refuses the conversation, or nothing is left to train on
 */
export function datumFromMessages(
  renderer: Renderer,
  messages: readonly Message[],
  { trainOn = "all_assistant_messages", ...options }: MessagesDatumOptions = {},
): Datum {
  const { modelInput, weights } = renderer.buildSupervisedExample(messages, { trainOn });
  return datumFromTokens(modelInput, weights, options);
}

/**
 * A conversation as training examples in which each trained message stands as it would have been sampled: several where the
 * renderer writes earlier turns otherwise than it produced them.
 *
 * @throws ValidationError when the renderer refuses the conversation, or nothing is left to train on
 */
export function datumsFromMessages(
  renderer: Renderer,
  messages: readonly Message[],
  { trainOn = "all_assistant_messages", ...options }: MessagesDatumOptions = {},
): Datum[] {
  return renderer
    .buildSupervisedExamples(messages, { trainOn })
    .map(({ modelInput, weights }) => datumFromTokens(modelInput, weights, options));
}
