import type { TextRange } from "../text/text-range.js";

/** Units of the text from one checkpoint to the next, and units before a checkpoint that its normalised form may depend on. */
const BLOCK_LENGTH = 64;
const CONTEXT_LENGTH = 64;
/** Units by which a checkpoint may move on, so that it does not part what the normaliser joins. */
const MAX_SHIFT = 32;
/** Units that may be normalised, for each of the text, where checkpoints do not help. */
const MAX_REPEATS = 64;
const FREE_UNITS = 1_000_000;

/** A place in the text, and the place in the normalised text that it became. */
interface Checkpoint {
  readonly source: number;
  readonly normalized: number;
}

/**
 * Finds where in a text a stretch of the normalised text comes from. Normalisers give no offsets, so they are asked again, for
 * short pieces: what a piece adds to the normalised text is what a window with the piece has more than one without. Each piece
 * must give what stands in the normalised text; so the work grows linearly with the text, and no range is guessed. For a
 * normaliser that works across windows, ranges are found by bisection of the whole text, and after `FREE_UNITS` and
 * `MAX_REPEATS` times the text all of the text is given, in which the stretch surely lies.
 */
export class SourceOffsets {
  readonly #text: string;
  readonly #normalized: string;
  readonly #normalize: (text: string) => string;
  readonly #checkpoints: Checkpoint[] = [];
  /** Normalised lengths of beginnings of the text, by their length. */
  readonly #lengths = new Map<number, number>();
  #canGoOn = true;
  #unitsLeft: number;

  constructor(text: string, normalized: string, normalize: (text: string) => string) {
    this.#text = text;
    this.#normalized = normalized;
    this.#normalize = normalize;
    this.#unitsLeft = FREE_UNITS + MAX_REPEATS * text.length;
  }

  /** The stretch of the text that became the stretch of the normalised text. */
  rangeOf({ start, end }: TextRange): TextRange {
    if (this.#text === this.#normalized) return { start, end };
    const first = this.#unitsFor(start + 1);
    const last = this.#unitsFor(end);
    if (first === undefined || last === undefined) return { start: 0, end: this.#text.length };
    return { start: Math.max(0, first - 1), end: last };
  }

  /** The fewest units of the text that give at least `length` normalised ones; `undefined` where that would take too long. */
  #unitsFor(length: number): number | undefined {
    while (this.#canGoOn && this.#last().normalized < length) this.#addCheckpoint();
    if (this.#last().normalized < length) return this.#bisectWhole(length);
    const index = firstIndex(0, this.#checkpoints.length, (at) => this.#checkpoint(at).normalized >= length);
    if (index === 0) return 0;
    const from = this.#checkpoint(index - 1);
    const to = this.#checkpoint(index);
    return firstIndex(from.source + 1, to.source, (units) => this.#lengthAfter(from, units) >= length);
  }

  #last(): Checkpoint {
    if (this.#checkpoints.length === 0) {
      this.#checkpoints.push({ source: 0, normalized: this.#normalize("").length });
    }
    return this.#checkpoint(this.#checkpoints.length - 1);
  }

  #checkpoint(index: number): Checkpoint {
    return this.#checkpoints[index] ?? { source: 0, normalized: 0 };
  }

  /** Adds the next checkpoint, or notes that there is none: all is covered, or no piece gives what stands in the normalised text. */
  #addCheckpoint(): void {
    const last = this.#last();
    const total = this.#text.length;
    const nearest = Math.min(total, last.source + BLOCK_LENGTH);
    const before = this.#window(last, last.source).length;
    for (let source = nearest; source <= Math.min(total, nearest + MAX_SHIFT); source += 1) {
      const added = this.#window(last, source).slice(before);
      const normalized = last.normalized + added.length;
      const isWhole = source < total || normalized === this.#normalized.length;
      if (source > last.source && isWhole && this.#normalized.startsWith(added, last.normalized)) {
        this.#checkpoints.push({ source, normalized });
        return;
      }
    }
    this.#canGoOn = false;
  }

  /** The normalised length of the first `units` of the text, which end in the block after a checkpoint. */
  #lengthAfter(from: Checkpoint, units: number): number {
    let length = this.#lengths.get(units);
    if (length === undefined) {
      length = from.normalized + this.#window(from, units).length - this.#window(from, from.source).length;
      this.#lengths.set(units, length);
    }
    return length;
  }

  #window({ source }: Checkpoint, end: number): string {
    return this.#normalize(this.#text.slice(Math.max(0, source - CONTEXT_LENGTH), end));
  }

  #bisectWhole(length: number): number | undefined {
    const found = firstIndex(0, this.#text.length, (units) => {
      this.#unitsLeft -= units;
      return this.#unitsLeft < 0 || this.#normalize(this.#text.slice(0, units)).length >= length;
    });
    return this.#unitsLeft < 0 ? undefined : found;
  }
}

/** The first whole number from `low` on for which `holds`, which holds for all after it; `high` where there is none before. */
function firstIndex(low: number, high: number, holds: (value: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
