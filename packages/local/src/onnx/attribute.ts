import { create } from "@bufbuild/protobuf";
import { type AttributeProto, AttributeProtoSchema, type GraphProto } from "./generated/onnx_pb.js";

/** The value of a node's attribute; ONNX tells whole numbers from fractions, so we say which one is meant. */
export type Attribute =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly string: string }
  | { readonly ints: readonly number[] };

/** ONNX's numbers for the kinds of attribute (`AttributeProto.AttributeType`). */
const kinds = { float: 1, int: 2, string: 3, graph: 5, ints: 7 } as const;

/** The attribute of a node that runs a graph of its own. */
export function encodeBodyAttribute(body: GraphProto): AttributeProto {
  return create(AttributeProtoSchema, { name: "body", type: kinds.graph, g: body });
}

export function encodeAttribute(name: string, attribute: Attribute): AttributeProto {
  if ("int" in attribute) {
    return create(AttributeProtoSchema, { name, type: kinds.int, i: BigInt(attribute.int) });
  }
  if ("float" in attribute) {
    return create(AttributeProtoSchema, { name, type: kinds.float, f: attribute.float });
  }
  if ("string" in attribute) {
    return create(AttributeProtoSchema, {
      name,
      type: kinds.string,
      s: new TextEncoder().encode(attribute.string),
    });
  }
  return create(AttributeProtoSchema, { name, type: kinds.ints, ints: attribute.ints.map(BigInt) });
}
