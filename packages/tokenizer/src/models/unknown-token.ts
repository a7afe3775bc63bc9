import { ValidationError } from "@tinkex/base";

/**
 * Makes the function that gives the id of a model's unknown token for a word. A vocabulary may lack the token: as in Rust that is an
 * error where a word needs it and not before, since many models never do; without it the word would be lost in silence.
 */
export function unknownTokenFor(
  token: unknown,
  idsByToken: ReadonlyMap<string, number>,
): (word: string) => number {
  const id = typeof token === "string" ? idsByToken.get(token) : undefined;
  return (word) => {
    if (id !== undefined) return id;
    const name = typeof token === "string" ? `its unknown token ${JSON.stringify(token.slice(0, 80))}` : "an unknown token";
    throw new ValidationError(
      `encode: the model of this tokenizer.json has no token for ${JSON.stringify(word.slice(0, 80))}, and its vocabulary lacks ${name}; leave the word out, or download the file again`,
    );
  };
}
