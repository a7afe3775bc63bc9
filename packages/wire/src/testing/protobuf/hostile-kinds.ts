import { type MessageShape, WIRE } from "./message-shape.js";
import { bytesOf, type TreeField, treeOf, varintOf } from "./message-tree.js";
import type { Random } from "./random.js";

/** Makes messages of one kind of hostility out of two that mean something. */
export type HostileKind = (
  first: Uint8Array,
  second: Uint8Array,
  shape: MessageShape,
  random: Random,
) => readonly Uint8Array[];

/** Bytes that end a varint, go on with one, or have every bit. */
const BYTES = [0x00, 0x01, 0x7f, 0x80, 0xff] as const;
/** Groups within one another, around the number that readers follow. */
const DEPTHS = [1, 2, 94, 95, 96, 97, 98, 99, 100, 101, 120] as const;
const UNKNOWN_NUMBER = 50;

/** The kinds by name: what random mutations seldom make, at every place of a message. */
export const HOSTILE_KINDS: Readonly<Record<string, HostileKind>> = {
  "cut behind each byte": (bytes) => Array.from(bytes, (_, end) => bytes.slice(0, end)),
  "another byte at each place": (bytes) =>
    BYTES.flatMap((byte) => Array.from(bytes, (_, place) => bytes.with(place, byte))),
  "two messages, one behind the other": (first, second) => [
    Uint8Array.of(...first, ...second),
    Uint8Array.of(...second, ...first),
  ],
  "two messages, their fields mixed": (first, second, shape, random) =>
    several(6, () => written(mixed(treeOf(first, shape), treeOf(second, shape), random))),
  "each field in every wire type": (bytes, _, shape) => everywhere(bytes, shape, everyWireType),
  "each varint longer than it needs": (bytes, _, shape) => everywhere(bytes, shape, everyPadding),
  "each field twice, the second one empty": (bytes, _, shape) => everywhere(bytes, shape, emptied),
  "groups within groups, in each message": (bytes, _, shape) => everywhere(bytes, shape, nestedGroups),
  "a group around each field": (bytes, _, shape) => everywhere(bytes, shape, inGroup),
  "messages in parts of a field each": (bytes, second, shape, random) =>
    several(6, () => written(inParts(treeOf(bytes, shape), treeOf(second, shape), random))),
  "packed lists and single integers by turns": (bytes, second, shape, random) =>
    several(6, () => written(mixedLists(treeOf(random.oneIn(2) ? bytes : second, shape), random))),
};

function several<Item>(count: number, make: () => Item): Item[] {
  return Array.from({ length: count }, make);
}

function written(fields: readonly TreeField[]): Uint8Array {
  return Uint8Array.from(bytesOf(fields));
}

/** Gives a copy of the message for each thing that `variants` puts in the place of one of its fields, at any depth. */
function everywhere(
  bytes: Uint8Array,
  shape: MessageShape,
  variants: (field: TreeField) => readonly (readonly TreeField[])[],
): Uint8Array[] {
  const made: Uint8Array[] = [];
  const root = treeOf(bytes, shape);
  const visit = (fields: TreeField[]): void => {
    for (const [place, field] of [...fields.entries()]) {
      for (const variant of variants(field)) {
        fields.splice(place, 1, ...variant);
        made.push(written(root));
        fields.splice(place, variant.length, field);
      }
      if (Array.isArray(field.content)) visit(field.content);
    }
  };
  visit(root);
  return made;
}

function everyWireType(field: TreeField): TreeField[][] {
  return Array.from({ length: 8 }, (_, wireType) => [{ ...field, wireType }]);
}

function everyPadding(field: TreeField): TreeField[][] {
  const paddings = [1, 3, 4, 5, 8, 9, 10];
  return paddings.flatMap((padding) => {
    const { content } = field;
    const isVarint = field.wireType === WIRE.varint && !Array.isArray(content);
    const longer = isVarint ? { content: padded(content, padding) } : { lengthPadding: padding };
    return [[{ ...field, tagPadding: padding }], [{ ...field, ...longer }]];
  });
}

function padded(varint: Uint8Array, padding: number): Uint8Array {
  const head = Array.from(varint, (byte) => byte | 0x80);
  return Uint8Array.of(...head, ...new Array<number>(padding - 1).fill(0x80), 0);
}

function emptied(field: TreeField): TreeField[][] {
  if (field.wireType !== WIRE.delimited) return [[field, { ...field, content: Uint8Array.of(0) }]];
  const empty = { ...field, content: new Uint8Array(0) };
  return [[field, empty], [empty, field], [empty]];
}

function nestedGroups(field: TreeField): TreeField[][] {
  return DEPTHS.map((depth) => {
    let content: TreeField[] = [];
    for (let level = 0; level < depth; level += 1) content = [group(UNKNOWN_NUMBER, content)];
    return [...content, field];
  });
}

/** The field is no field of the message there; and a group may have the number of a known field. */
function inGroup(field: TreeField): TreeField[][] {
  const other = Uint8Array.from(varintOf((field.number + 1) * 8 + WIRE.endGroup));
  return [
    [group(UNKNOWN_NUMBER, [field])],
    [group(field.number, [field])],
    [{ ...group(UNKNOWN_NUMBER, [field]), groupEnd: other }],
    [{ ...group(UNKNOWN_NUMBER, [field]), groupEnd: new Uint8Array(0) }],
  ];
}

function group(number: number, content: TreeField[]): TreeField {
  return { number, wireType: WIRE.startGroup, shape: undefined, content };
}

/** Both lists in their order, drawn from by turns at random. */
function mixed(first: readonly TreeField[], second: readonly TreeField[], random: Random): TreeField[] {
  const [left, right] = [[...first], [...second]];
  const made: TreeField[] = [];
  for (;;) {
    const [from, other] = random.oneIn(2) ? [left, right] : [right, left];
    const next = from.shift() ?? other.shift();
    if (next === undefined) return made;
    made.push(next);
  }
}

/** Each message as a row of messages that hold one of its fields, with fields of another one between them. */
function inParts(fields: readonly TreeField[], others: readonly TreeField[], random: Random): TreeField[] {
  const parts = fields.flatMap((field): TreeField[] => {
    if (!Array.isArray(field.content) || field.content.length === 0) return [field];
    const inner = inParts(field.content, [], random);
    return inner.map((part) => ({ ...field, content: [part] }));
  });
  return random.oneIn(2) ? parts : mixed(parts, others, random);
}

/** Lists of integers as single ones and packed ones, some of them empty. */
function mixedLists(fields: readonly TreeField[], random: Random): TreeField[] {
  return fields.flatMap((field): TreeField[] => {
    if (Array.isArray(field.content)) return [{ ...field, content: mixedLists(field.content, random) }];
    if (field.wireType !== WIRE.delimited || field.number !== 4) return [field];
    return Array.from(field.content).flatMap((byte): TreeField[] => {
      const content = Uint8Array.of(byte & 0x7f);
      const one = { ...field, content, wireType: random.oneIn(2) ? WIRE.varint : WIRE.delimited };
      return random.oneIn(4) ? [one, { ...field, content: new Uint8Array(0) }] : [one];
    });
  });
}
