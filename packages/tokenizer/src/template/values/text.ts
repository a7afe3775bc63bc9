/** A string of a template. A plain one is the template's own, and a {@link Text} has parts that people wrote. */
export type TextValue = string | Text;

/** A string of which some stretches are people's: what a special token spelled in them becomes is text. */
export class Text {
  readonly value: string;
  /** The stretches, or the strings that they are found in when they are first asked for. */
  #known: readonly number[] | readonly TextValue[];
  #isFlat: boolean;

  private constructor(value: string, known: readonly number[] | readonly TextValue[], isFlat: boolean) {
    this.value = value;
    this.#known = known;
    this.#isFlat = isFlat;
  }

  /** @param spans - as {@link Text.spans} gives them */
  static of(value: string, spans: readonly number[]): Text {
    return new Text(value, spans, true);
  }

  /** Strings in a row, of which one at least is a {@link Text}. They are not copied: some texts are made piece by piece. */
  static inRow(value: string, parts: readonly TextValue[]): Text {
    return new Text(value, parts, false);
  }

  /** The beginnings and ends of people's stretches, in UTF-16 units and in order, with gaps between them. */
  get spans(): readonly number[] {
    if (!this.#isFlat) {
      this.#known = flatten(this);
      this.#isFlat = true;
    }
    return this.#known as readonly number[];
  }

  /** The strings it was made of, or its stretches. */
  get parts(): readonly TextValue[] | undefined {
    return this.#isFlat ? undefined : (this.#known as readonly TextValue[]);
  }
}

/** Not by recursion: a text made piece by piece is as deep as it has pieces. */
function flatten(text: Text): number[] {
  const spans: number[] = [];
  const rest: TextValue[] = [text];
  let length = 0;
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next === "string") {
      length += next.length;
      continue;
    }
    const { parts } = next;
    if (parts !== undefined) {
      for (let at = parts.length - 1; at >= 0; at -= 1) rest.push(parts[at] ?? "");
      continue;
    }
    for (let at = 0; at < next.spans.length; at += 2) {
      const start = length + (next.spans[at] ?? 0);
      // Two stretches that touch are one.
      if (spans.at(-1) === start) spans.pop();
      else spans.push(start);
      spans.push(length + (next.spans[at + 1] ?? 0));
    }
    length += next.value.length;
  }
  return spans;
}

/** A string that people wrote, all of it. */
export function peoplesText(value: string): TextValue {
  return value === "" ? "" : Text.of(value, [0, value.length]);
}

export function isText(value: unknown): value is TextValue {
  return typeof value === "string" || value instanceof Text;
}

/** The string alone. */
export function plain(text: TextValue): string {
  return typeof text === "string" ? text : text.value;
}

/** Part of a string, by UTF-16 offsets. */
export function sliceText(text: TextValue, start: number, end: number): TextValue {
  if (typeof text === "string") return text.slice(start, end);
  const spans: number[] = [];
  for (let at = 0; at < text.spans.length; at += 2) {
    const from = Math.max(text.spans[at] ?? 0, start);
    const to = Math.min(text.spans[at + 1] ?? 0, end);
    if (from < to) spans.push(from - start, to - start);
  }
  return textOf(text.value.slice(start, end), spans);
}

/** Strings in a row. */
export function concatTexts(parts: readonly TextValue[]): TextValue {
  // By `+` V8 copies nothing until a text is looked through, which keeps texts made piece by piece linear.
  const value =
    parts.length > MAX_ADDED
      ? parts.map(plain).join("")
      : parts.reduce<string>((text, part) => text + plain(part), "");
  return parts.some((part) => typeof part !== "string") ? Text.inRow(value, parts) : value;
}

const MAX_ADDED = 8;

/** A string made anew of another, stretch by stretch; `convert` must not look beyond the piece that it gets. */
export function mapText(text: TextValue, convert: (piece: string) => string): TextValue {
  if (typeof text === "string") return convert(text);
  const parts: TextValue[] = [];
  let done = 0;
  for (let at = 0; at < text.spans.length; at += 2) {
    const [start = 0, end = 0] = text.spans.slice(at, at + 2);
    parts.push(convert(text.value.slice(done, start)), peoplesText(convert(text.value.slice(start, end))));
    done = end;
  }
  parts.push(convert(text.value.slice(done)));
  return concatTexts(parts);
}

/** A string made of another as a whole. Where its length changed, all of it counts as people's if any of it was. */
export function convertText(text: TextValue, convert: (value: string) => string): TextValue {
  const value = convert(plain(text));
  if (typeof text === "string") return value;
  return value.length === text.value.length ? textOf(value, text.spans) : peoplesText(value);
}

function textOf(value: string, spans: readonly number[]): TextValue {
  return spans.length === 0 ? value : Text.of(value, spans);
}
