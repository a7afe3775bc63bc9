/** Layouts of a protobuf field's value. The schema has no groups, which are passed over where somebody sends one. */
export const wireType = {
  varint: 0,
  fixed64: 1,
  lengthDelimited: 2,
  startGroup: 3,
  endGroup: 4,
  fixed32: 5,
} as const;
