/** Functions that make values of the parts of JSON text, for readers that must not lose what `JSON.parse` loses. */
export interface JsonParts<Value> {
  readonly string: (text: string) => Value;
  /** Makes a number of its spelling; an integer has neither fraction nor exponent. */
  readonly number: (spelling: string, isInteger: boolean) => Value;
  readonly array: (items: Value[]) => Value;
  /** Makes an object of its members in the order of the text, also those with numbers for names. The last of a name counts. */
  readonly object: (members: Map<string, Value>) => Value;
  /** Values of the words that may stand without quotes, by their spelling. */
  readonly words: ReadonlyMap<string, Value>;
  /** Nesting from which on the text is refused, so that recursion does not overflow. */
  readonly maxDepth: number;
  /** Makes the error of text that is no JSON; the position counts UTF-16 units. */
  readonly fault: (reason: string, position: number) => Error;
}

const WORD = /-?[A-Za-z]{1,8}/y;

/**
 * Reads JSON text part by part. It takes and refuses what `JSON.parse` does, apart from depth and from the words that it is
 * given, e.g. `NaN`.
 *
 * @throws the error that `parts.fault` makes
 */
export function readJsonText<Value>(text: string, parts: JsonParts<Value>): Value {
  let position = 0;

  const skipSpace = (): void => {
    while (isSpace(text.charCodeAt(position))) position += 1;
  };

  const take = (character: string): boolean => {
    if (text[position] !== character) return false;
    position += 1;
    return true;
  };

  /** Goes behind the digits that stand here and tells whether there are any. A pattern could run out of stack on them. */
  const digits = (): boolean => {
    const start = position;
    while (isDigit(text.charCodeAt(position))) position += 1;
    return position > start;
  };

  /** Goes behind the number that stands here; undefined, and no move, where none does. */
  const number = (): { readonly spelling: string; readonly isInteger: boolean } | undefined => {
    const start = position;
    take("-");
    if (!take("0") && !digits()) {
      position = start;
      return undefined;
    }
    const integerEnd = position;
    if (!take(".") || !digits()) position = integerEnd;
    const exponentStart = position;
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      if (!digits()) position = exponentStart;
    }
    return { spelling: text.slice(start, position), isInteger: position === integerEnd };
  };

  const word = (): Value => {
    WORD.lastIndex = position;
    const spelling = WORD.exec(text)?.[0];
    if (spelling !== undefined && parts.words.has(spelling)) {
      position += spelling.length;
      return parts.words.get(spelling) as Value; // it is there
    }
    const next = text[position];
    throw parts.fault(
      next === undefined ? "it ends too early" : `unexpected ${JSON.stringify(next)}`,
      position,
    );
  };

  const string = (): string => {
    const start = position;
    if (text[start] !== '"') throw parts.fault("a string is missing", position);
    let end = text.indexOf('"', start + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) throw parts.fault("a string that does not end", position);
    try {
      const read = JSON.parse(text.slice(start, end + 1)) as string; // begins and ends with quotation marks
      position = end + 1;
      return read;
    } catch {
      throw parts.fault("a string with a bad escape or a control character", position);
    }
  };

  /** Goes behind a comma, and tells so, or behind the closing bracket. */
  const separator = (closing: string): boolean => {
    skipSpace();
    if (take(",")) return true;
    if (take(closing)) return false;
    throw parts.fault(`"," or "${closing}" is missing`, position);
  };

  const array = (depth: number): Value => {
    const items: Value[] = [];
    position += 1;
    skipSpace();
    if (take("]")) return parts.array(items);
    do items.push(value(depth + 1));
    while (separator("]"));
    return parts.array(items);
  };

  const object = (depth: number): Value => {
    const members = new Map<string, Value>();
    position += 1;
    skipSpace();
    if (take("}")) return parts.object(members);
    do {
      skipSpace();
      const key = string();
      skipSpace();
      if (!take(":")) throw parts.fault('":" is missing', position);
      members.set(key, value(depth + 1));
    } while (separator("}"));
    return parts.object(members);
  };

  const value = (depth: number): Value => {
    if (depth > parts.maxDepth) throw parts.fault(`more than ${parts.maxDepth} levels`, position);
    skipSpace();
    const next = text[position];
    if (next === "{") return object(depth);
    if (next === "[") return array(depth);
    if (next === '"') return parts.string(string());
    const numeric = number();
    return numeric === undefined ? word() : parts.number(numeric.spelling, numeric.isInteger);
  };

  const read = value(0);
  skipSpace();
  if (position < text.length) throw parts.fault("something follows its end", position);
  return read;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Tells whether a character is a space, tab, line feed or carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** Tells whether the character at `position` has an odd number of backslashes before it. */
function isEscaped(text: string, position: number): boolean {
  let start = position;
  while (text[start - 1] === "\\") start -= 1;
  return (position - start) % 2 === 1;
}
