import { checkFunction, checkKnownNames, checkObject, ValidationError } from "@tinkex/base";
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
  options: MessagesDatumOptions = {},
): Datum {
  const { trainOn, cut } = checkedOptions(renderer, options, "datumFromMessages");
  const { modelInput, weights } = renderer.buildSupervisedExample(messages, { trainOn });
  checkAnswered(messages, trainOn, cut);
  return datumFromTokens(modelInput, weights, cut);
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
  options: MessagesDatumOptions = {},
): Datum[] {
  const { trainOn, cut } = checkedOptions(renderer, options, "datumsFromMessages");
  const examples = renderer.buildSupervisedExamples(messages, { trainOn });
  checkAnswered(messages, trainOn, cut);
  return examples.map(({ modelInput, weights }) => datumFromTokens(modelInput, weights, cut));
}

/**
 * Refuses a conversation without the role that is to be trained on, in words that name the roles it has: data of others call the
 * assistant "bot", "gpt" or "model", which most layouts show like every other role.
 */
function checkAnswered(messages: readonly Message[], trainOn: TrainOn, { untrained }: DatumOptions): void {
  if (untrained === "keep" || !ANSWERS.has(trainOn)) return;
  const roles = new Set(messages.map(({ role }) => role));
  if (roles.has("assistant")) return;
  const found = Array.from(roles, (role) => JSON.stringify(role)).join(", ");
  throw new ValidationError(
    `no token of the document is trained on, as no message has the role "assistant" (roles: ${found}); rename the role, train on others with trainOn, or keep it with untrained: "keep"`,
    { path: ["messages"] },
  );
}

const ANSWERS: ReadonlySet<TrainOn> = new Set([
  "last_assistant_message",
  "last_assistant_turn",
  "all_assistant_messages",
]);

const OPTIONS: Readonly<Record<keyof MessagesDatumOptions, true>> = {
  trainOn: true,
  maxLength: true,
  reduction: true,
  untrained: true,
};

/** Checks what plain JavaScript may pass, and parts the options of the renderer from those of the datum. */
function checkedOptions(renderer: Renderer, options: MessagesDatumOptions, method: string) {
  checkObject(renderer, `${method}: renderer`, 'getRenderer("qwen3", tokenizer)');
  checkFunction(renderer.buildSupervisedExample, `${method}: renderer.buildSupervisedExample`);
  checkFunction(renderer.buildSupervisedExamples, `${method}: renderer.buildSupervisedExamples`);
  checkKnownNames(options, OPTIONS, `the options of ${method}`);
  const { trainOn = "all_assistant_messages", ...cut } = options;
  return { trainOn, cut };
}
