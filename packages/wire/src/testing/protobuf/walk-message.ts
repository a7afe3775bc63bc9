import { type FieldShape, type MessageShape, WIRE } from "./message-shape.js";

/** Traits of bytes about which the readers may differ; see `RULED_DISAGREEMENTS`. */
export type Trait = "otherWireType" | "beyondItsMessage" | "longLength" | "longVarint" | "replaced";

/** Fields met so far in one message, also where it comes in several parts. */
type Seen = Map<number, Seen>;

/** Signals that the walk met something after which bytes cannot be read on. */
class Stop extends Error {}

/**
 * Walks a message by its shape, with its own eyes: it shares no code with either reader. It ends at the first fault, since
 * nothing that follows can be told apart.
 */
export function traitsOf(bytes: Uint8Array, shape: MessageShape): ReadonlySet<Trait> {
  const traits = new Set<Trait>();
  try {
    walk({ bytes, traits, offset: 0 }, shape, bytes.length, new Map());
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return traits;
}

interface Walk {
  readonly bytes: Uint8Array;
  readonly traits: Set<Trait>;
  offset: number;
}

function walk(at: Walk, shape: MessageShape, end: number, seen: Seen): void {
  const keys = new Map<number, Set<string>>();
  while (at.offset < end) {
    const [number, wireType] = tagAt(at, end);
    const field = shape.get(number);
    if (field === undefined) skip(at, number, wireType, end);
    else {
      const isPacked = field.isPackable && wireType === WIRE.delimited;
      if (wireType !== field.wireType && !isPacked) stop(at, "otherWireType");
      const before = noteSeen(at, shape, number, field, seen);
      if (field.message === undefined) skipKnown(at, field, wireType, end);
      else walkMessage(at, field, end, before, setOf(keys, number));
    }
  }
}

function setOf(keys: Map<number, Set<string>>, number: number): Set<string> {
  const found = keys.get(number) ?? new Set();
  keys.set(number, found);
  return found;
}

/** Notes a field of which one value alone can stay, and gives what was met of its message before. */
function noteSeen(at: Walk, shape: MessageShape, number: number, field: FieldShape, seen: Seen): Seen {
  if (field.isRepeated) return new Map();
  const isAgain = seen.has(number) && field.message === undefined;
  const others = field.oneof === undefined ? [] : [...seen.keys()].filter((key) => key !== number);
  const switched = others.filter((key) => shape.get(key)?.oneof === field.oneof);
  for (const key of switched) seen.delete(key);
  if (isAgain || switched.length > 0) at.traits.add("replaced");
  const before: Seen = seen.get(number) ?? new Map();
  seen.set(number, before);
  return before;
}

function walkMessage(at: Walk, field: FieldShape, end: number, before: Seen, keys: Set<string>): void {
  const [start, messageEnd] = delimited(at, end);
  at.offset = start;
  walk(at, field.message ?? new Map(), messageEnd, before);
  if (!field.isMap) return;
  // A key twice replaces its value. Keys are compared by their bytes, wherever they stand in the entry.
  const key = keyOf(at.bytes.subarray(start, messageEnd));
  if (keys.has(key)) at.traits.add("replaced");
  keys.add(key);
}

function keyOf(entry: Uint8Array): string {
  const at: Walk = { bytes: entry, traits: new Set(), offset: 0 };
  let key = "";
  while (at.offset < entry.length) {
    const [number, wireType] = tagAt(at, entry.length);
    const start = at.offset;
    skip(at, number, wireType, entry.length);
    if (number !== 1) continue;
    at.offset = start;
    const [from, to] = delimited(at, entry.length);
    key = entry.subarray(from, to).join();
    at.offset = to;
  }
  return key;
}

function tagAt(at: Walk, end: number): [number: number, wireType: number] {
  const start = at.offset;
  const tag = varint(at, end);
  if (tag >= 2n ** 32n || at.offset - start > 5 || tag < 8n || (tag & 7n) > 5n) throw new Stop();
  return [Number(tag >> 3n), Number(tag & 7n)];
}

function varint(at: Walk, end: number): bigint {
  let value = 0n;
  for (let count = 0; count < 10; count += 1) {
    if (at.offset >= end) stop(at, "beyondItsMessage");
    const byte = at.bytes[at.offset] ?? 0;
    at.offset += 1;
    value |= BigInt(byte & 0x7f) << BigInt(7 * count);
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  stop(at, "longVarint");
}

function delimited(at: Walk, end: number): [start: number, end: number] {
  const length = varint(at, end);
  if (length >= 2n ** 32n) stop(at, "longLength");
  const stopAt = at.offset + Number(length);
  if (stopAt > end) stop(at, "beyondItsMessage");
  return [at.offset, stopAt];
}

function skipKnown(at: Walk, field: FieldShape, wireType: number, end: number): void {
  if (!field.isPackable || wireType !== WIRE.delimited) {
    skip(at, 0, wireType, end);
    return;
  }
  const [, packedEnd] = delimited(at, end);
  while (at.offset < packedEnd) varint(at, packedEnd);
}

function skip(at: Walk, number: number, wireType: number, end: number): void {
  if (wireType === WIRE.varint) varint(at, end);
  else if (wireType === WIRE.delimited) [, at.offset] = delimited(at, end);
  else if (wireType === WIRE.startGroup) skipGroup(at, number, end);
  else if (wireType === WIRE.endGroup) throw new Stop();
  else {
    at.offset += wireType === WIRE.fixed64 ? 8 : 4;
    if (at.offset > end) stop(at, "beyondItsMessage");
  }
}

function skipGroup(at: Walk, number: number, end: number): void {
  for (;;) {
    const [inner, wireType] = tagAt(at, end);
    if (wireType === WIRE.endGroup) {
      if (inner !== number) throw new Stop();
      return;
    }
    skip(at, inner, wireType, end);
  }
}

function stop(at: Walk, trait: Trait): never {
  at.traits.add(trait);
  throw new Stop();
}
