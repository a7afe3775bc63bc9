import { create, toBinary } from "@bufbuild/protobuf";
import { encodeAttribute } from "./attribute.js";
import type { Shape } from "./dimension.js";
import { elementTypeCodes } from "./element-type.js";
import {
  type GraphProto,
  GraphProtoSchema,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
  TensorProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from "./generated/onnx_pb.js";
import type { GraphParts, Initializer, NodeSpec } from "./onnx-graph.js";
import type { Value } from "./value.js";

/** The newest versions that native and wasm builds of ONNX Runtime 1.30 both take without a warning. */
const irVersion = 10n;
const operatorSets = [
  { domain: "", version: 21n },
  { domain: "com.microsoft", version: 1n },
];

/** ONNX's number for a tensor outside the model file (`TensorProto.DataLocation`). */
const EXTERNAL = 1;

/**
 * Encodes a graph as an ONNX model file.
 *
 * @param outputs - values by the names under which the file gives them
 */
export function encodeModel(parts: GraphParts, outputs: Readonly<Record<string, Value>>): Uint8Array {
  const graph = create(GraphProtoSchema, {
    name: "tinkex",
    input: parts.inputs.map(encodeValueInfo),
    initializer: parts.initializers.map(encodeInitializer),
    node: parts.nodes.map(encodeNode),
  });
  addOutputs(graph, outputs);
  return toBinary(
    ModelProtoSchema,
    create(ModelProtoSchema, { irVersion, producerName: "tinkex", opsetImport: operatorSets, graph }),
  );
}

/** An output of the graph is a value with the output's name; Identity gives a value its second name. */
function addOutputs(graph: GraphProto, outputs: Readonly<Record<string, Value>>): void {
  for (const [name, value] of Object.entries(outputs)) {
    graph.output.push(encodeValueInfo({ ...value, name }));
    graph.node.push(
      create(NodeProtoSchema, {
        opType: "Identity",
        name: `output.${name}`,
        input: [value.name],
        output: [name],
      }),
    );
  }
}

function encodeNode(node: NodeSpec): NodeProto {
  return create(NodeProtoSchema, {
    opType: node.operator,
    domain: node.domain,
    name: node.outputs[0] ?? node.operator,
    input: [...node.inputs],
    output: [...node.outputs],
    attribute: Object.entries(node.attributes).map(([name, value]) => encodeAttribute(name, value)),
  });
}

function encodeInitializer({ name, type, shape, data }: Initializer): TensorProto {
  const described = { name, dataType: elementTypeCodes[type], dims: shape.map(BigInt) };
  if ("file" in data) {
    const externalData = [
      { key: "location", value: data.file },
      { key: "offset", value: String(data.offset) },
      { key: "length", value: String(data.byteLength) },
    ];
    return create(TensorProtoSchema, { ...described, externalData, dataLocation: EXTERNAL });
  }
  const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return create(TensorProtoSchema, { ...described, rawData });
}

function encodeValueInfo({ name, type, shape }: Value): ValueInfoProto {
  return create(ValueInfoProtoSchema, {
    name,
    type: { tensorType: { elemType: elementTypeCodes[type], shape: { dim: encodeShape(shape) } } },
  });
}

function encodeShape(shape: Shape) {
  return shape.map((dimension) => ({
    value:
      typeof dimension === "number"
        ? { case: "dimValue" as const, value: BigInt(dimension) }
        : { case: "dimParam" as const, value: dimension },
  }));
}
