const encoder = new TextEncoder();

/** Bytes to begin with: most requests need less. */
const INITIAL_BYTES = 4_096;
/** A larger memory is not kept for the next text. */
const MAX_KEPT_BYTES = 1 << 20;
/** UTF-8 takes at most so many bytes for one unit of a string. */
const BYTES_A_UNIT = 3;
/** Digits and sign of a 32-bit integer, and the comma behind it. */
const BYTES_AN_INTEGER = 12;
/** Integers of a list for which room is made at a time: nobody knows of a long list before its end that it holds nothing else. */
const BLOCK = 4_096;
/** Strings up to this length are copied here, unit by unit, faster than by the encoder. */
const SHORT = 24;

const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;

/** JSON text as it grows, in UTF-8: a string would be written first, joined, and then copied into bytes. */
export class JsonBytes {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #length = 0;

  /** Appends text as it is. */
  text(text: string): void {
    const { length } = text;
    // As much as ASCII takes, which most long texts are.
    this.#makeRoom(length);
    if (length <= SHORT && this.#tryAscii(text)) return;
    const { read, written } = encoder.encodeInto(text, this.#bytes.subarray(this.#length));
    this.#length += written;
    if (read === length) return;
    this.#makeRoom((length - read) * BYTES_A_UNIT);
    this.#length += encoder.encodeInto(text.slice(read), this.#bytes.subarray(this.#length)).written;
  }

  /** Appends a list, if it holds nothing but 32-bit integers, as lists of token ids do. Tells whether it was one. */
  tryIntegers(list: ArrayLike<unknown>): boolean {
    const begin = this.#length;
    // Read once: a getter of the list may add to it, for which there is no room.
    const { length } = list;
    this.text("[");
    for (let start = 0; start < length; start += BLOCK) {
      if (this.#tryBlock(list, start, Math.min(start + BLOCK, length))) continue;
      this.#length = begin;
      return false;
    }
    this.text("]");
    return true;
  }

  /** Gives the text, and begins anew. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.#length);
    this.clear();
    return taken;
  }

  /** Begins anew, e.g. after a value that could not be written. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = new Uint8Array(INITIAL_BYTES);
  }

  /** Appends the elements of a list from `start` to `end`, each but the first of the list behind a comma. Tells whether all are integers. */
  #tryBlock(list: ArrayLike<unknown>, start: number, end: number): boolean {
    this.#makeRoom((end - start) * BYTES_AN_INTEGER);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = start; i < end; i += 1) {
      const integer = list[i];
      if (typeof integer !== "number" || (integer | 0) !== integer) return false;
      if (i > 0) {
        bytes[at] = COMMA;
        at += 1;
      }
      at = putInteger(bytes, at, integer);
    }
    this.#length = at;
    return true;
  }

  /** Copies a text of ASCII. Tells whether it was one. */
  #tryAscii(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) return false;
      bytes[start + i] = unit;
    }
    this.#length = start + text.length;
    return true;
  }

  #makeRoom(byteLength: number): void {
    const wanted = this.#length + byteLength;
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Writes a 32-bit integer. Gives the place behind it. */
function putInteger(bytes: Uint8Array, start: number, integer: number): number {
  let at = start;
  // The opposite of the least one is no 32-bit integer, but a number all the same.
  let rest = integer;
  if (integer < 0) {
    bytes[at] = MINUS;
    at += 1;
    rest = -integer;
  }
  const end = at + digitsOf(rest);
  let place = end;
  do {
    const tenth = (rest / 10) | 0;
    place -= 1;
    bytes[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  } while (rest > 0);
  return end;
}

function digitsOf(integer: number): number {
  if (integer < 1_000) return integer < 10 ? 1 : integer < 100 ? 2 : 3;
  if (integer < 1_000_000) return integer < 10_000 ? 4 : integer < 100_000 ? 5 : 6;
  return integer < 10_000_000 ? 7 : integer < 100_000_000 ? 8 : integer < 1_000_000_000 ? 9 : 10;
}
