import { create, toBinary } from "@bufbuild/protobuf";
import { encodeAttribute, encodeBodyAttribute } from "./attribute.js";
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
import type { GraphBody, GraphParts, Initializer, NodeSpec } from "./onnx-graph.js";
import { readNames } from "./prune-graph.js";
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
 * The shape of every value is in it: the runtime works out most of them for itself, but has no name for a product of two lengths that
 * are known only in a run. Tensors whose lengths have no name never share memory, and for each of them the runtime looks in vain
 * through all memory that is free.
 *
 * @param outputs - values by the names under which the file gives them
 */
export function encodeModel(parts: GraphParts, outputs: Readonly<Record<string, Value>>): Uint8Array {
  const names = outputNames(parts.nodes, outputs);
  const values = parts.nodes.flatMap((node) => node.outputs).filter(({ name }) => !names.has(name));
  const graph = create(GraphProtoSchema, {
    name: "tinkex",
    input: parts.inputs.map(encodeValueInfo),
    initializer: parts.initializers.map(encodeInitializer),
    node: resultsSoon(parts.nodes).map((node) => encodeNode(node, names)),
    valueInfo: values.map(encodeValueInfo),
  });
  addOutputs(graph, outputs, names);
  return toBinary(
    ModelProtoSchema,
    create(ModelProtoSchema, { irVersion, producerName: "tinkex", opsetImport: operatorSets, graph }),
  );
}

/**
 * Orders nodes so that the runtime computes each result as soon as what it needs is there, and lets go of that. It starts from the nodes
 * that no other reads, the last of the file first, and computes what each needs before the next: in order of writing, the result that
 * needs most would come first, and all others wait, with everything that they need, for the end of the run.
 */
function resultsSoon(nodes: readonly NodeSpec[]): readonly NodeSpec[] {
  const read = new Set(nodes.flatMap(readNames));
  const isRead = (node: NodeSpec) => node.outputs.some(({ name }) => read.has(name));
  return [...nodes.filter(isRead), ...nodes.filter((node) => !isRead(node)).reverse()];
}

/** An output of the graph is a value with the output's name: what a node gives can have that name from the start. */
function outputNames(
  nodes: readonly NodeSpec[],
  outputs: Readonly<Record<string, Value>>,
): ReadonlyMap<string, string> {
  const given = new Set(nodes.flatMap((node) => node.outputs.map(({ name }) => name)));
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(outputs)) {
    if (given.has(value.name) && !names.has(value.name)) names.set(value.name, name);
  }
  return names;
}

/** Identity gives a second name to an output that is an input as well, or another output. */
function addOutputs(
  graph: GraphProto,
  outputs: Readonly<Record<string, Value>>,
  names: ReadonlyMap<string, string>,
): void {
  for (const [name, value] of Object.entries(outputs)) {
    graph.output.push(encodeValueInfo({ ...value, name }));
    const source = names.get(value.name) ?? value.name;
    if (source === name) continue;
    graph.node.push(
      create(NodeProtoSchema, {
        opType: "Identity",
        name: `output.${name}`,
        input: [source],
        output: [name],
      }),
    );
  }
}

function encodeNode(node: NodeSpec, names: ReadonlyMap<string, string>): NodeProto {
  return create(NodeProtoSchema, {
    opType: node.operator,
    domain: node.domain,
    name: node.outputs[0]?.name ?? node.operator,
    input: node.inputs.map((name) => names.get(name) ?? name),
    output: node.outputs.map(({ name }) => names.get(name) ?? name),
    attribute: [
      ...Object.entries(node.attributes).map(([name, value]) => encodeAttribute(name, value)),
      ...(node.body === undefined ? [] : [encodeBodyAttribute(encodeBody(node.body, names))]),
    ],
  });
}

function encodeBody(body: GraphBody, names: ReadonlyMap<string, string>): GraphProto {
  const given = new Set(body.outputs.map(({ name }) => name));
  const values = body.nodes.flatMap((node) => node.outputs).filter(({ name }) => !given.has(name));
  return create(GraphProtoSchema, {
    name: "body",
    input: body.inputs.map(encodeValueInfo),
    node: body.nodes.map((node) => encodeNode(node, names)),
    output: body.outputs.map(encodeValueInfo),
    valueInfo: values.map(encodeValueInfo),
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
