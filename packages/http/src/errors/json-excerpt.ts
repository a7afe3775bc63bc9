/**
 * The beginning of what `JSON.stringify` makes of parsed JSON. No more is written than is shown: the whole may be large.
 *
 * @param isPlain - strings at the top without quotation marks
 */
export function jsonExcerpt(value: unknown, maxLength: number, isPlain = false): string {
  let text = "";
  const write = (member: unknown): void => {
    if (text.length > maxLength) return;
    if (typeof member === "string") text += JSON.stringify(member.slice(0, maxLength + 1));
    else if (Array.isArray(member)) writeAll("[", member, "]", write);
    else if (typeof member === "object" && member !== null) {
      writeAll("{", Object.keys(member), "}", (name) => {
        write(name);
        text += ":";
        write(Reflect.get(member, name));
      });
    } else text += String(member);
  };
  const writeAll = <Item>(
    open: string,
    items: readonly Item[],
    close: string,
    writeItem: (item: Item) => void,
  ): void => {
    text += open;
    for (const [index, item] of items.entries()) {
      if (text.length > maxLength) return;
      if (index > 0) text += ",";
      writeItem(item);
    }
    text += close;
  };
  if (isPlain && typeof value === "string") return value.slice(0, maxLength + 1);
  write(value);
  return text;
}
