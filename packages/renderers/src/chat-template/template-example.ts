import { ValidationError } from "@tinkex/base";
import { placeMessages } from "../layout/place-messages.js";
import { refusal } from "../messages/check-messages.js";
import type { Message } from "../messages/message.js";
import type { SupervisedExample } from "../renderer/renderer.js";
import type { TrainOn } from "../renderer/train-on.js";
import { trainOnRules } from "../renderer/train-on.js";

/** Ids of a conversation, as a prompt or as it stands. */
export type RenderIds = (messages: readonly Message[], isPrompt: boolean) => readonly number[];

/**
 * A document with weights found by comparison: of a message that is trained on, the tokens between the prompt for it and the end
 * of the conversation up to it, as far as its last stop token.
 *
 * @throws ValidationError when a head of the conversation is rendered in another way, or the mode trains on others than assistants
 */
export function templateExample(
  messages: readonly Message[],
  trainOn: TrainOn,
  render: RenderIds,
  stops: readonly number[],
): SupervisedExample {
  const rule = trainOnRules[trainOn];
  const document = render(messages, false);
  const weights = new Float32Array(document.length);
  if (rule.hasHeaders) weights.fill(1);
  for (const place of placeMessages(messages)) {
    const { index, message } = place;
    if (rule.hasHeaders || !rule.trains(message, place)) continue;
    if (message.role !== "assistant") {
      throw refusal(
        index,
        `would be trained on with "${trainOn}", and a template does not say where it begins`,
        "train on the assistant's messages, or on all_tokens",
      );
    }
    const start = headLength(
      document,
      index === 0 ? undefined : render(messages.slice(0, index), true),
      index,
    );
    const end = headLength(document, render(messages.slice(0, index + 1), false), index);
    const lastStop = document.slice(start, end).findLastIndex((id) => stops.includes(id));
    weights.fill(1, start, lastStop === -1 ? end : start + lastStop + 1);
  }
  return { modelInput: { chunks: [{ type: "encoded_text", tokens: [...document] }] }, weights };
}

/**
 * One document for each message of the assistant that the mode trains on, as the last of its own.
 *
 * @throws ValidationError for modes that train on others too
 */
export function templateExamples(
  messages: readonly Message[],
  trainOn: TrainOn,
  render: RenderIds,
  stops: readonly number[],
): SupervisedExample[] {
  const rule = trainOnRules[trainOn];
  if (!trainOn.includes("assistant")) {
    throw new ValidationError(`"${trainOn}" cannot be cut into examples of one message each`, {
      path: ["trainOn"],
    });
  }
  return placeMessages(messages)
    .filter((place) => rule.trains(place.message, place))
    .map(({ index }) =>
      templateExample(messages.slice(0, index + 1), "last_assistant_message", render, stops),
    );
}

/** The length of a head, which the document has to begin with. */
function headLength(document: readonly number[], head: readonly number[] | undefined, index: number): number {
  if (head === undefined) {
    throw refusal(
      index,
      "answers nobody, and a template has no prompt for it",
      "put a message in front of it",
    );
  }
  if (head.every((id, place) => id === document[place])) return head.length;
  throw refusal(
    index,
    "is written by the template in another way than the conversation up to it alone would be",
    "train with buildSupervisedExamples, without thinking, or with a renderer by name",
  );
}
