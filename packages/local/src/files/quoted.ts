/** Shows text of unknown origin in a message: quoted, with what a terminal would act upon written as escapes. */
export function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /\p{C}/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
