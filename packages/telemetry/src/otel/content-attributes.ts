import type { Attributes } from "@opentelemetry/api";
import type { ContentMessage, ModelInput } from "@tinkex/types";
import { ATTRIBUTES } from "./conventions.js";

/** Turns token ids into text, e.g. `(tokens) => tokenizer.decode(tokens)`. */
export type Decode = (tokens: readonly number[]) => string;

/** A part of a message, by the GenAI conventions, which leave room for types of one's own. */
type Part = { readonly type: string } & Record<string, unknown>;

/** Writes the contents of a sample as the conventions have them: messages in JSON. @param decode - tokens stay ids without it */
export function contentAttributes(message: ContentMessage, decode: Decode | undefined): Attributes {
  if (message.type === "content.prompt") {
    const { prompt, stop } = message;
    const strings = typeof stop === "string" ? [stop] : (stop ?? []).map(String);
    return {
      [ATTRIBUTES.inputMessages]: JSON.stringify([{ role: "user", parts: promptParts(prompt, decode) }]),
      ...(stop === undefined ? {} : { [ATTRIBUTES.stopSequences]: strings }),
    };
  }
  const messages = message.sequences.map(({ tokens, stop_reason }) => ({
    role: "assistant",
    parts: [tokenPart([...tokens], decode)],
    finish_reason: stop_reason,
  }));
  return { [ATTRIBUTES.outputMessages]: JSON.stringify(messages) };
}

function promptParts({ chunks }: ModelInput, decode: Decode | undefined): Part[] {
  return chunks.map((chunk) =>
    // The bytes of a picture stay away, whose size no backend takes.
    "tokens" in chunk ? tokenPart(Array.from(chunk.tokens, Number), decode) : { type: "tinker.image" },
  );
}

function tokenPart(tokens: readonly number[], decode: Decode | undefined): Part {
  return decode === undefined
    ? { type: "tinker.tokens", token_ids: tokens }
    : { type: "text", content: decode(tokens) };
}
