import { byteLevelTokenBytes } from "../text/byte-level.js";
import { type TokenText, textOfTokenBytes } from "../text/token-text.js";
import { leafParts, type PartConfig } from "./leaf-parts.js";
import { buildWithLibrary, made } from "./library-part.js";
import { replaceStep } from "./replace-step.js";

/**
 * Makes the decoder of a tokenizer.json: part by part, each done by the library but for `Replace` and `ByteLevel`. Without
 * parts, tokens are words.
 * @throws ValidationError when the library does not know a part.
 */
export function createDecoder(section: object | null): TokenText {
  if (section === null) return (tokens) => tokens.join(" ");
  const steps = leafParts(section, "decoders").map(step);
  return (tokens) => steps.reduce((texts, decode) => decode(texts), [...tokens]).join("");
}

function step(part: PartConfig): (tokens: string[]) => string[] {
  if (part.type === "Replace") {
    const replace = replaceStep(part, "decoder");
    return (tokens) => tokens.map(replace);
  }
  if (part.type === "ByteLevel") {
    const textOf = textOfTokenBytes(byteLevelTokenBytes());
    return (tokens) => [textOf(tokens)];
  }
  const decoder = made(buildWithLibrary({ decoder: part }).decoder, "decoder");
  return (tokens) => decoder.decode_chain(tokens);
}
