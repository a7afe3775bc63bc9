import { checkObject, type Tokenizer, ValidationError } from "@tinkex/base";
import { datumFromMessages, datumFromTokens, type Message, type Renderer } from "@tinkex/renderers";
import type { Datum } from "@tinkex/types";
import { isSameData } from "./is-same-data.js";

/** A question with the answer to prefer and the one to avoid: texts to continue, or messages. */
export type PreferencePair =
  | { readonly prompt: string; readonly chosen: string; readonly rejected: string }
  | { readonly prompt: readonly Message[]; readonly chosen: Message; readonly rejected: Message };

/** Both answers of a pair as datums; their weights are 1 on the tokens of the answer. */
export interface PairDatums {
  readonly chosen: Datum;
  readonly rejected: Datum;
}

/** A pair as datums. @throws ValidationError naming its place, for what is no pair */
export function pairDatums(
  pair: PreferencePair,
  tools: { readonly tokenizer: Tokenizer; readonly renderer: () => Renderer },
  place: string,
): PairDatums {
  checkObject(pair, place, "{ prompt, chosen, rejected }");
  if (isTextPair(pair)) {
    const head = tools.tokenizer.encode(pair.prompt, { addSpecialTokens: true });
    const datumOf = (answer: string): Datum => {
      const tokens = tools.tokenizer.encode(answer);
      const weights = [...head.map(() => 0), ...tokens.map(() => 1)];
      return datumFromTokens([...head, ...tokens], weights, { reduction: "none" });
    };
    return { chosen: datumOf(pair.chosen), rejected: datumOf(pair.rejected) };
  }
  const { prompt, chosen, rejected } = pair;
  if (!Array.isArray(prompt)) {
    throw new ValidationError(`${place} must have prompt, chosen and rejected: all strings, or messages`);
  }
  const datumOf = (answer: Message): Datum =>
    datumFromMessages(tools.renderer(), [...prompt, answer], {
      trainOn: "last_assistant_message",
      reduction: "none",
    });
  return { chosen: datumOf(chosen), rejected: datumOf(rejected) };
}

/** Tells whether both answers are the same to the model: such a pair has a loss of ln 2 and no gradient, whatever is learnt. */
export function isOfOneAnswer({ chosen, rejected }: PairDatums): boolean {
  // Targets first: they nearly always differ, and the prompt before them may hold images.
  return (
    isSameData(chosen.loss_fn_inputs, rejected.loss_fn_inputs) &&
    isSameData(chosen.model_input, rejected.model_input)
  );
}

function isTextPair(pair: PreferencePair): pair is Extract<PreferencePair, { readonly prompt: string }> {
  return [pair.prompt, pair.chosen, pair.rejected].every((part) => typeof part === "string");
}
