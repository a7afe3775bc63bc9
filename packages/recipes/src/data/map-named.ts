import { errorMessage, ValidationError } from "@tinkex/base";

/** Refused items that an error names; the others are counted. */
const MAX_NAMED = 20;

/**
 * Makes something of each item, and names all that are refused in one error, so that a data set is mended in one go.
 *
 * @param placeOf - names an item in messages, e.g. `sft: train[3]`
 * @param make - gives what is made of an item, none for one that is left out; a ValidationError refuses it
 * @throws ValidationError for refused items; anything else that `make` throws as it is
 */
export function mapNamed<Item, Made>(
  items: readonly Item[],
  placeOf: (index: number) => string,
  make: (item: Item) => readonly Made[],
): Made[] {
  const refused: string[] = [];
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    try {
      for (const each of make(item)) made.push(each);
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      refused.push(`${placeOf(index)}: ${errorMessage(error)}`);
    }
  }
  if (refused.length === 0) return made;
  const more = refused.length - MAX_NAMED;
  throw new ValidationError(
    `${refused.slice(0, MAX_NAMED).join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
  );
}
