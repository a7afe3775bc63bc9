import type { Trait } from "./walk-message.js";

/**
 * All bytes about which the readers of this package and protobuf-es differ, with the reason. Bytes without one of these traits are
 * taken by both, as the same values, or by neither.
 */
export const RULED_DISAGREEMENTS: Readonly<
  Record<Trait, { readonly reader: Expected; readonly reason: string }>
> = {
  otherWireType: {
    reader: "refuses",
    reason: "protobuf-es does not compare the wire type of a known field, and reads what is not there",
  },
  beyondItsMessage: {
    reader: "refuses",
    reason: "protobuf-es reads a message on beyond its end, into the bytes of the one around it",
  },
  longLength: {
    reader: "refuses",
    reason: "protobuf-es cuts a length to 32 bits, so that 2^32 + 5 bytes are 5; other readers refuse it",
  },
  longVarint: {
    reader: "refuses",
    reason: "protobuf-es passes over a varint of any length; the format has ten bytes at most",
  },
  replaced: {
    reader: "may refuse",
    reason: "a value that a later one replaces is checked as well, since it is met first",
  },
};

/** Answer of the readers of this package where protobuf-es takes the bytes. */
type Expected = "refuses" | "may refuse";

/**
 * Faults of meaning: the bytes are good protobuf, and what they say is none of the API's. protobuf-es, which reads the form alone, takes
 * them. The reader of this package must refuse them also as protobuf-es writes them again.
 */
export const FAULTS_OF_MEANING: readonly RegExp[] = [
  /dtype \d+ of .* is not known/,
  /dtype -\d+ of .* is not known/,
  /bytes are not a whole number of elements/,
  /an integer beyond 2\^53/,
  /an index beyond 2\^53/,
  /more than 64 dimensions/,
  /is not a shape/,
  /does not hold \d+ elements/,
  /must be a size of 0 or more/,
  /of a sparse tensor must be \[rows, columns\]/,
  /must have rows \+ 1 = /,
  /must start at 0 and never fall/,
  /must have one entry for each of the/,
  /must be a column below/,
  /offset \d+ is -?\d+, (not within|inside an element)/,
  /do not divide into rows of/,
  /\d+ tensors for \d+ datums/,
  /datums without any data/,
  /negative count/,
  /bytes for a matrix of/,
  /is missing$/,
  /(an entry|a field) without a tensor/,
  /a chunk without content/,
  /a span without content/,
  /a config value without number or text/,
  /image format ".*" is not known/,
];
