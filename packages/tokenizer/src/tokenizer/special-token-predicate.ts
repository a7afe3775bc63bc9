import { checkArray, describeValue, ValidationError } from "@tinkex/base";

/**
 * Says of a special token whether `allowedSpecial` allows it in a text.
 * @throws ValidationError when it names a token that is none of `specialTokens`.
 */
export function specialTokenPredicate(
  allowedSpecial: "all" | readonly string[],
  specialTokens: ReadonlyMap<string, number>,
): (token: string) => boolean {
  if (allowedSpecial === "all") return () => true;
  checkArray(allowedSpecial, "allowedSpecial");
  for (const name of allowedSpecial) {
    if (!specialTokens.has(name)) {
      throw new ValidationError(
        `allowedSpecial names ${describeValue(name)}, which is no special token of this tokenizer; see its specialTokens`,
        { path: ["allowedSpecial"] },
      );
    }
  }
  return (token) => allowedSpecial.includes(token);
}
