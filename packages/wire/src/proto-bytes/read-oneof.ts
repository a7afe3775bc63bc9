import type { ProtoReader } from "./proto-reader.js";

/** One kind of content that a message may have: the name of its field, and the reader of what is in it. */
interface OneofKind<Content> {
  readonly name: string;
  readonly read: (reader: ProtoReader) => Content;
}

/**
 * Reads a message that holds one of several kinds of message, by the number of its field. The last kind sent counts; several parts of it
 * are merged. What another kind replaces is read too, so that a fault in it is one.
 */
export function readOneof<Content>(
  reader: ProtoReader,
  kinds: Readonly<Record<number, OneofKind<Content>>>,
): Content | undefined {
  let kind: OneofKind<Content> | undefined;
  let content: ProtoReader | undefined;
  while (reader.next()) {
    const found = kinds[reader.field];
    if (found === undefined) reader.skip();
    else if (found === kind) content = reader.message(found.name, content);
    else {
      if (content !== undefined) kind?.read(content);
      kind = found;
      content = reader.message(found.name);
    }
  }
  return content === undefined ? undefined : kind?.read(content);
}
