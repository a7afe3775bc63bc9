/** Layouts of a protobuf field's value. Groups (3, 4) are not part of proto3. */
export const wireType = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;
