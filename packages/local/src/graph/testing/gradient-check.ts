import { expect } from "vitest";
import { GraphBuilder } from "../../onnx/graph-builder.js";
import type { OnnxGraph } from "../../onnx/onnx-graph.js";
import type { Value } from "../../onnx/value.js";
import { randomStream } from "../../random/random-stream.js";
import { createRuntime } from "../../runtime/create-runtime.js";
import { type Tensor, tensor } from "../../runtime/tensor.js";

/** An operator pair under test: forward from named inputs, backward from the gradient of what forward gave. */
export interface OperatorUnderTest<Input extends string, Feed extends string> {
  /** Shapes of the float32 inputs. */
  readonly inputs: Readonly<Record<Input, readonly number[]>>;
  /** Inputs that have no gradient, such as frozen weights. Default none. */
  readonly fixed?: readonly NoInfer<Input>[];
  /** Of the graph. Default true. */
  readonly isPacked?: boolean;
  /** Inputs of other types. */
  readonly feeds?: Readonly<Record<Feed, Tensor>>;
  readonly write: (
    graph: GraphBuilder,
    values: Readonly<Record<Input | Feed, Value>>,
  ) => {
    readonly output: Value;
    readonly backward: (gradient: Value) => Readonly<Partial<Record<NoInfer<Input>, Value>>>;
  };
}

const step = 1e-2;
const tolerance = 2e-3;

/**
 * Compares the gradients of an operator with central differences of its forward half, for the sum of the outputs times
 * random numbers. The error of a difference, rounding over the step plus the square of the step, is below the tolerance.
 */
export async function expectGradientsToMatch<Input extends string, Feed extends string = never>(
  operator: OperatorUnderTest<Input, Feed>,
): Promise<void> {
  const graph = new GraphBuilder({ isPacked: operator.isPacked ?? true });
  const numbers = new Map<string, Tensor>(Object.entries<Tensor>(operator.feeds ?? {}));
  for (const [name, dims] of Object.entries<readonly number[]>(operator.inputs)) {
    numbers.set(name, randomTensor(name, dims));
  }
  const values = Object.fromEntries(
    [...numbers].map(([name, { type, dims }]) => [name, graph.input(name, type, dims)]),
  );
  // The entries have just been made from the names of inputs and feeds.
  const { output, backward } = operator.write(graph, values as Record<Input | Feed, Value>);
  const direction = randomTensor("direction", output.shape.map(Number));
  numbers.set("gradient", direction);
  const gradients = new Map(
    Object.entries<Value | undefined>(backward(graph.input("gradient", "float32", output.shape))).flatMap(
      ([name, value]) => (value === undefined ? [] : [[name, value] as const]),
    ),
  );
  const fixed = new Set<string>(operator.fixed);
  const differentiated = Object.keys(operator.inputs).filter((name) => !fixed.has(name));
  expect([...gradients.keys()].sort()).toEqual(differentiated.sort());

  const runtime = await createRuntime({ threads: 1 });
  const forwardGraph = graph.build({ output });
  const forward = await runtime.compile(forwardGraph);
  const backwardGraph = graph.build(
    Object.fromEntries([...gradients].map(([name, value]) => [`d ${name}`, value])),
  );
  const both = await runtime.compile(backwardGraph);
  const found = await both.run(feedsOf(backwardGraph, numbers));
  const loss = async () => {
    const outputs = (await forward.run(feedsOf(forwardGraph, numbers))).float32("output");
    return outputs.reduce((sum, value, index) => sum + value * (direction.data[index] ?? 0), 0);
  };
  for (const name of differentiated) {
    const expected = await differences(numbers.get(name), loss);
    const got = found.float32(`d ${name}`);
    expect(got.length, name).toBe(expected.length);
    const scale = Math.max(...expected.map(Math.abs));
    expect(scale, `${name}: some derivative is not 0`).toBeGreaterThan(0);
    expected.forEach((value, index) => {
      expect(Math.abs((got[index] ?? Number.NaN) - value), `${name}[${index}]`).toBeLessThan(
        tolerance * scale,
      );
    });
  }
  await Promise.all([forward.release(), both.release()]);
}

async function differences(input: Tensor | undefined, loss: () => Promise<number>): Promise<number[]> {
  if (input?.type !== "float32") throw new Error("inputs to differentiate must be float32");
  const derivatives: number[] = [];
  for (const [index, kept] of input.data.entries()) {
    input.data[index] = kept + step;
    const above = await loss();
    input.data[index] = kept - step;
    const below = await loss();
    input.data[index] = kept;
    derivatives.push((above - below) / (2 * step));
  }
  return derivatives;
}

function feedsOf(graph: OnnxGraph, numbers: ReadonlyMap<string, Tensor>): Record<string, Tensor> {
  return Object.fromEntries(
    [...numbers].filter(([name]) => graph.inputs.some((input) => input.name === name)),
  );
}

function randomTensor(name: string, dims: readonly number[]) {
  const random = randomStream(7, name);
  const length = dims.reduce((product, size) => product * size, 1);
  return tensor(
    "float32",
    dims,
    Float32Array.from({ length }, () => 2 * random() - 1),
  );
}
