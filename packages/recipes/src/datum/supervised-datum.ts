import { checkArray, checkObject, describeValue, ValidationError } from "@tinkex/base";
import {
  datumFromMessages,
  type Message,
  type Renderer,
  type ToolDeclaration,
  type TrainOn,
} from "@tinkex/renderers";
import type { Datum } from "@tinkex/types";
import { withTools } from "./declared-tools.js";
import { hasTrainedToken } from "./plain-numbers.js";

/** A message, with the weight that files of OpenAI's fine-tuning give those of the assistant: 0 is not trained on. */
export interface ChatMessage extends Message {
  readonly weight?: number | undefined;
}

/** A conversation to learn from. */
export interface Chat {
  readonly messages: readonly ChatMessage[];
  /** Tools that the model knows in it, as JSON Schema. */
  readonly tools?: readonly ToolDeclaration[] | undefined;
}

export interface SupervisedDatumOptions {
  /** Tokens to train on. Messages with a weight decide for themselves. @defaultValue "all_assistant_messages" */
  readonly trainOn?: TrainOn | undefined;
  /** Most tokens of the whole conversation; what is behind them is cut off. @defaultValue no limit */
  readonly maxLength?: number | undefined;
  /** `"mean"` lets every example count the same, `"none"` every token. @defaultValue "mean" */
  readonly reduction?: "mean" | "none" | undefined;
}

/**
 * A conversation as one training example for the loss `cross_entropy`; undefined where no token of it is trained on, as a rule because it
 * was cut. Such an example would teach nothing and count in the mean.
 *
 * @throws ValidationError when the renderer refuses the conversation
 */
export function supervisedDatum(
  renderer: Renderer,
  chat: Chat,
  options: SupervisedDatumOptions = {},
): Datum | undefined {
  checkObject(chat, "supervisedDatum: chat", "{ messages: [{ role, content }] }");
  checkArray(chat.messages, "supervisedDatum: chat.messages");
  if (chat.messages.length === 0)
    throw new ValidationError("messages must hold at least one message, got none");
  const isWeighed = chat.messages.some((message) => message?.weight !== undefined);
  const messages = chat.messages.map((message, index) => plainMessage(message, index, isWeighed));
  const datum = datumFromMessages(renderer, withTools(renderer, messages, chat.tools), {
    ...options,
    ...(isWeighed && { trainOn: "customized" }),
    untrained: "keep",
  });
  return hasTrainedToken(datum) ? datum : undefined;
}

/** The message as renderers know it: its weight is whether it is trained on. */
function plainMessage(message: ChatMessage, index: number, isWeighed: boolean): Message {
  checkObject(message, `supervisedDatum: chat.messages[${index}]`, "{ role, content }");
  const { weight, ...plain } = message;
  if (weight !== undefined && weight !== 0 && weight !== 1) {
    throw new ValidationError(
      `supervisedDatum: chat.messages[${index}].weight must be 0 or 1, got ${describeValue(weight)}`,
    );
  }
  if (!isWeighed) return plain;
  return { ...plain, trainable: plain.role === "assistant" && weight !== 0 };
}
