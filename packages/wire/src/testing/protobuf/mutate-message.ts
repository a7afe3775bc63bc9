import { type MessageShape, WIRE } from "./message-shape.js";
import { bytesOf, type TreeField, treeOf, varintOf } from "./message-tree.js";
import type { Random } from "./random.js";

/** Numbers of no field of the schema, with one, two and five bytes of tag. */
const UNKNOWN_NUMBERS = [15, 50, 100, 2 ** 20, 2 ** 29 - 1] as const;

/** Integers at the borders of what 32 bits, a number and 64 bits hold. */
const INTEGERS = [
  0n,
  1n,
  -1n,
  127n,
  2n ** 31n,
  2n ** 32n,
  2n ** 32n + 1n,
  2n ** 53n,
  2n ** 63n,
  -(2n ** 63n),
] as const;

/** Changes some fields of a message at any depth, and sometimes bytes that belong to none. */
export function mutateMessage(bytes: Uint8Array, shape: MessageShape, random: Random): Uint8Array {
  const root = treeOf(bytes, shape);
  for (let count = random.below(4); count >= 0; count -= 1)
    random.pick(TREE_CHANGES)(listIn(root, random), random);
  const mutated = bytesOf(root);
  if (random.oneIn(4)) random.pick(BYTE_CHANGES)(mutated, random);
  return Uint8Array.from(mutated);
}

type TreeChange = (fields: TreeField[], random: Random) => void;

const TREE_CHANGES: readonly [TreeChange, ...TreeChange[]] = [
  insertUnknown,
  insertUnknown,
  repeatField,
  moveField,
  splitMessage,
  repack,
  changeInteger,
  padVarint,
  changeBytes,
  changeWireType,
  breakGroup,
  dropField,
];

const BYTE_CHANGES: readonly [ByteChange, ...ByteChange[]] = [
  (bytes, random) => bytes.splice(random.below(bytes.length + 1)),
  (bytes, random) => {
    const place = random.below(bytes.length);
    bytes[place] = (bytes[place] ?? 0) ^ (1 << random.below(8));
  },
  (bytes, random) => bytes.splice(random.below(bytes.length + 1), 0, random.below(256)),
];
type ByteStrings = readonly [readonly number[], ...(readonly number[])[]];
type ByteChange = (bytes: number[], random: Random) => void;

/** Draws the fields of one message of the tree, all depths alike. */
function listIn(root: TreeField[], random: Random): TreeField[] {
  const lists: TreeField[][] = [];
  const add = (fields: TreeField[]): void => {
    lists.push(fields);
    for (const { content } of fields) if (Array.isArray(content)) add(content);
  };
  add(root);
  return lists[random.below(lists.length)] ?? root;
}

function fieldIn(fields: readonly TreeField[], random: Random): TreeField | undefined {
  return fields[random.below(fields.length)];
}

function insertUnknown(fields: TreeField[], random: Random): void {
  fields.splice(random.below(fields.length + 1), 0, unknownField(random, 3));
}

function unknownField(random: Random, depth: number): TreeField {
  const number = random.pick(UNKNOWN_NUMBERS);
  const field = { number, shape: undefined };
  const group = (): TreeField[] =>
    Array.from({ length: random.below(3) }, () => unknownField(random, depth - 1));
  switch (random.below(depth === 0 ? 4 : 5)) {
    case 0:
      return { ...field, wireType: WIRE.varint, content: Uint8Array.from(varintOf(random.pick(INTEGERS))) };
    case 1:
      return { ...field, wireType: WIRE.fixed64, content: random.bytes(8) };
    case 2:
      return { ...field, wireType: WIRE.delimited, content: random.bytes(random.below(5)) };
    case 3:
      return { ...field, wireType: WIRE.fixed32, content: random.bytes(4) };
    default:
      return { ...field, wireType: WIRE.startGroup, content: group() };
  }
}

function repeatField(fields: TreeField[], random: Random): void {
  const field = fieldIn(fields, random);
  if (field !== undefined) fields.splice(random.below(fields.length + 1), 0, structuredClone(field));
}

function moveField(fields: TreeField[], random: Random): void {
  const [field] = fields.splice(random.below(fields.length), 1);
  if (field !== undefined) fields.splice(random.below(fields.length + 1), 0, field);
}

/** Sends a message in two parts, which a reader merges where the field is not repeated. */
function splitMessage(fields: TreeField[], random: Random): void {
  const place = fields.findIndex(({ content }) => Array.isArray(content) && content.length > 0);
  const field = fields[place];
  if (field === undefined || !Array.isArray(field.content)) return;
  const rest = field.content.splice(random.below(field.content.length + 1));
  fields.splice(place + 1, 0, { ...field, content: rest });
}

/** Turns packed integers into single ones, or a single one into a packed list of one. */
function repack(fields: TreeField[], random: Random): void {
  const place = random.below(fields.length);
  const field = fields[place];
  if (field === undefined || Array.isArray(field.content) || field.number !== 4) return;
  if (field.wireType === WIRE.varint) field.wireType = WIRE.delimited;
  else if (field.wireType === WIRE.delimited) {
    const singles = [...field.content].map((byte) => ({
      ...field,
      wireType: WIRE.varint,
      content: Uint8Array.of(byte & 0x7f),
    }));
    fields.splice(place, 1, ...singles);
  }
}

function changeInteger(fields: TreeField[], random: Random): void {
  const field = fields.find(({ wireType }) => wireType === WIRE.varint);
  if (field !== undefined)
    field.content = Uint8Array.from(varintOf(random.oneIn(2) ? random.below(5) : random.pick(INTEGERS)));
}

function padVarint(fields: TreeField[], random: Random): void {
  const field = fieldIn(fields, random);
  if (field === undefined) return;
  const padding = random.below(11);
  if (random.oneIn(4)) field.tagPadding = random.below(3) + random.below(2) * padding;
  else if (field.wireType === WIRE.delimited) field.lengthPadding = padding;
  else if (field.wireType === WIRE.varint && !Array.isArray(field.content)) {
    const last = (field.content.at(-1) ?? 0) | 0x80;
    field.content = Uint8Array.from([
      ...field.content.slice(0, -1),
      last,
      ...new Array<number>(padding).fill(0x80),
      random.below(4),
    ]);
  }
}

function changeBytes(fields: TreeField[], random: Random): void {
  const field = fields.find(
    ({ wireType, content }) => wireType === WIRE.delimited && !Array.isArray(content),
  );
  if (field === undefined || Array.isArray(field.content)) return;
  // A byte of no UTF-8, half a surrogate, a mark of byte order, half an element, nothing.
  const tails: ByteStrings = [[0xff], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf], [1], []];
  field.content = Uint8Array.from([...random.pick(tails), ...(random.oneIn(3) ? [] : field.content)]);
}

function changeWireType(fields: TreeField[], random: Random): void {
  const field = fieldIn(fields, random);
  if (field === undefined || !random.oneIn(3)) return;
  field.wireType = random.below(8);
}

function breakGroup(fields: TreeField[], random: Random): void {
  const ends: ByteStrings = [[], varintOf(50 * 8 + WIRE.endGroup), varintOf(15 * 8 + WIRE.endGroup)];
  const field = { number: 15, wireType: WIRE.startGroup, shape: undefined };
  const content = random.oneIn(2) ? [] : [unknownField(random, 1)];
  const groupEnd = Uint8Array.from(random.pick(ends));
  if (random.oneIn(2)) fields.push({ ...field, content, groupEnd });
  else fields.push({ ...field, wireType: WIRE.endGroup, content: new Uint8Array(0) });
}

function dropField(fields: TreeField[], random: Random): void {
  fields.splice(random.below(fields.length), 1);
}
