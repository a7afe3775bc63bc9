import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/** Wire types by name; the generated code needs none of them. */
export const WIRE = { varint: 0, fixed64: 1, delimited: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const;

/** Fields of a message by number, as the schema has them; a map is a repeated message of key and value. */
export type MessageShape = ReadonlyMap<number, FieldShape>;

export interface FieldShape {
  readonly wireType: number;
  /** Fields of the message in it, where it holds one. */
  readonly message?: MessageShape;
  readonly isRepeated: boolean;
  readonly isMap: boolean;
  /** Repeated integers, which may travel packed or one by one. */
  readonly isPackable: boolean;
  readonly isText: boolean;
  readonly oneof: string | undefined;
}

/** Reads the shape of a message from its descriptor. */
export function shapeOf(desc: DescMessage): MessageShape {
  return new Map(desc.fields.map((field) => [field.number, fieldShape(field)]));
}

function fieldShape(field: DescField): FieldShape {
  const isRepeated = field.fieldKind === "list" || field.fieldKind === "map";
  const common = {
    isRepeated,
    isMap: field.fieldKind === "map",
    isPackable: false,
    oneof: field.oneof?.name,
  };
  if (field.fieldKind === "map") {
    const key = { ...scalarShape(field.mapKey), isRepeated: false, isMap: false, oneof: undefined };
    const value =
      field.mapKind === "message"
        ? { wireType: WIRE.delimited, message: shapeOf(field.message), isPackable: false, isText: false }
        : scalarShape(field.mapKind === "scalar" ? field.scalar : ScalarType.INT32);
    const entry: MessageShape = new Map([
      [1, key],
      [2, { ...value, isRepeated: false, isMap: false, oneof: undefined }],
    ]);
    return { ...common, wireType: WIRE.delimited, message: entry, isText: false };
  }
  if (field.message !== undefined)
    return { ...common, wireType: WIRE.delimited, message: shapeOf(field.message), isText: false };
  const scalar = scalarShape(field.scalar ?? ScalarType.INT32);
  return { ...common, ...scalar, isPackable: isRepeated && scalar.wireType === WIRE.varint };
}

function scalarShape(type: ScalarType): Pick<FieldShape, "wireType" | "isPackable" | "isText"> {
  const isText = type === ScalarType.STRING;
  if (isText || type === ScalarType.BYTES) return { wireType: WIRE.delimited, isPackable: false, isText };
  const wireType = { [ScalarType.DOUBLE]: WIRE.fixed64, [ScalarType.FLOAT]: WIRE.fixed32 };
  return { wireType: wireType[type as ScalarType.DOUBLE] ?? WIRE.varint, isPackable: false, isText };
}
