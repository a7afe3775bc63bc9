/** The beginning and the end of a kind of block. */
export interface BlockTags {
  readonly open: string;
  readonly close: string;
}

/** A block of a text. */
export interface Block<Tags extends BlockTags> {
  readonly tags: Tags;
  /** The text between the tags. */
  readonly inner: string;
  readonly start: number;
  /** The place behind its closing tag. */
  readonly end: number;
}

/**
 * Finds the blocks of a text, in order. A block ends at its first closing tag; what looks like a block inside one is its text, and a
 * tag that is never closed is none. Each part of the text is searched once for each tag, however many of them are never closed.
 */
export function* findBlocks<Tags extends BlockTags>(
  text: string,
  kinds: readonly Tags[],
): Generator<Block<Tags>, void> {
  let open = kinds.map((tags) => ({ tags, start: text.indexOf(tags.open) }));
  let position = 0;
  for (;;) {
    open = open
      .map(({ tags, start }) => ({
        tags,
        start: start < position ? text.indexOf(tags.open, position) : start,
      }))
      .filter(({ start }) => start !== -1);
    const [first] = open.toSorted((a, b) => a.start - b.start);
    if (first === undefined) return;
    const { tags, start } = first;
    const inside = start + tags.open.length;
    const close = text.indexOf(tags.close, inside);
    if (close === -1) {
      // No later one is closed either.
      open = open.filter((kind) => kind !== first);
    } else {
      position = close + tags.close.length;
      yield { tags, inner: text.slice(inside, close), start, end: position };
    }
  }
}
