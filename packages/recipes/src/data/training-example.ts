import { checkObject, type Tokenizer, ValidationError } from "@tinkex/base";
import { datumFromTokens, type Renderer } from "@tinkex/renderers";
import type { Datum } from "@tinkex/types";
import { checkDatum } from "../datum/check-datum.js";
import { hasTrainedToken } from "../datum/plain-numbers.js";
import { checkFits, type ContextWindow } from "../models/context-window.js";
import { mapNamed } from "./map-named.js";
import { type Chat, type SupervisedDatumOptions, supervisedDatum } from "../datum/supervised-datum.js";

/** A text to continue, and what follows it, for models that were not made for chats. */
export interface PromptCompletion {
  readonly prompt: string;
  /** All of it is trained on. It ends where the model is to end: with a line feed, say, at which sampling stops. */
  readonly completion: string;
}

/** An example to learn from: a chat, a text with its continuation, or a datum that is ready. */
export type TrainingExample = Chat | PromptCompletion | Datum;

/** Tells of held-out examples without a token that counts. */
export const NOT_MEASURED = "have no token to measure, and are left out";

/** Means to make tokens of examples. */
export interface ExampleTools {
  /** Absent where all examples are datums. */
  readonly loaded: { readonly tokenizer: Tokenizer; readonly renderer: () => Renderer } | undefined;
  readonly options: SupervisedDatumOptions;
  /** Context that they must fit into. @defaultValue none that is known */
  readonly window?: ContextWindow | undefined;
}

/**
 * Makes datums of examples. Those without a token to train on are left out.
 *
 * @param placeOf - names an example in messages, e.g. `train[3]`
 * @throws ValidationError that names all examples that cannot be trained on
 */
export function exampleDatums(
  examples: readonly TrainingExample[],
  tools: ExampleTools,
  placeOf: (index: number) => string,
): Datum[] {
  return mapNamed(examples, placeOf, (example) => {
    const datum = exampleDatum(example, tools, "an example");
    if (datum === undefined) return [];
    checkFits(datum, tools.window, "an example", "leave it out, or cut examples by maxLength");
    return [datum];
  });
}

/** An example as a datum; undefined where no token of it is left to train on. @throws ValidationError when it cannot be trained on */
function exampleDatum(example: TrainingExample, tools: ExampleTools, place: string): Datum | undefined {
  checkObject(example, place, "{ messages: [{ role, content }] }");
  if ("model_input" in example) {
    checkDatum(example, place);
    return hasTrainedToken(example) ? example : undefined;
  }
  const { loaded, options } = tools;
  if (loaded === undefined) throw new ValidationError(`${place} needs a tokenizer, and none was loaded`);
  if ("messages" in example) return supervisedDatum(loaded.renderer(), example, options);
  const { prompt, completion } = example;
  if (typeof prompt !== "string" || typeof completion !== "string") {
    throw new ValidationError(`${place} must have messages, or a prompt and a completion, or be a datum`);
  }
  const head = loaded.tokenizer.encode(prompt, { addSpecialTokens: true });
  const answer = loaded.tokenizer.encode(completion);
  const weights = [...head.map(() => 0), ...answer.map(() => 1)];
  const { maxLength, reduction } = options;
  const datum = datumFromTokens([...head, ...answer], weights, { maxLength, reduction, untrained: "keep" });
  return hasTrainedToken(datum) ? datum : undefined;
}
