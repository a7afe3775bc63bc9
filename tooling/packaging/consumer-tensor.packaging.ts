import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLASSIC_COMPILER, NATIVE_COMPILER } from "./compilers.js";
import { Consumer } from "./consumer.js";

/** A project with @tinkex/tensor and what else it installs. */
function projectWith(...alongside: readonly string[]): Consumer {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());
  beforeAll(async () => {
    const { exitCode, output } = await consumer.install("@tinkex/tensor", { alongside });
    expect(exitCode, output).toBe(0);
  });
  return consumer;
}

/** The list that a program prints as JSON; tfjs prints a greeting of its own besides. */
async function answerOf(consumer: Consumer, program: string): Promise<unknown> {
  consumer.write("run.js", program);
  const { exitCode, output } = await consumer.node("run.js");
  expect(exitCode, output).toBe(0);
  return JSON.parse(output.split("\n").find((line) => line.startsWith("[")) ?? "");
}

describe("a project that installs @tinkex/tensor without tfjs", () => {
  const consumer = projectWith();

  it("compiles strictly, declarations of dependencies included, with a browser's library", async () => {
    consumer.write(
      "tensors.ts",
      `import { TensorData, type TfTensorLike, toNested, toSparse } from "@tinkex/tensor";
export const weights = toSparse(TensorData.from([[0, 1]], { key: "weights" }));
export const nested = toNested(weights);
export const later = (tensor: TfTensorLike): Promise<TensorData> => TensorData.fromAsync(tensor);
// @ts-expect-error strings are no numbers
TensorData.from("1");
`,
    );
    const { exitCode, output } = await consumer.compile({ lib: ["ES2023", "DOM"], types: [] });
    expect(exitCode, output).toBe(0);
  });

  it("casts, unfolds and gives back numbers", async () => {
    const answer = await answerOf(
      consumer,
      `import { TensorData, toNested, toSparse } from "@tinkex/tensor";
const matrix = TensorData.from([[0, 0, 0, 0], [0, 0, 5, 0]], { key: "target_tokens" });
const sparse = toSparse(matrix);
console.log(JSON.stringify([sparse.sparse_col_indices, toNested(sparse)]));`,
    );
    const rows = [
      [0, 0, 0, 0],
      [0, 0, 5, 0],
    ];
    expect(answer).toEqual([[2], rows]);
  });

  it("is told by the tfjs entry what to install", async () => {
    const answer = await answerOf(
      consumer,
      `const error = await import("@tinkex/tensor/tfjs").catch((error) => error);
console.log(JSON.stringify([error.name, error.code, error.message]));`,
    );
    expect(answer).toEqual([
      "TinkexError",
      "missing_dependency",
      "@tinkex/tensor/tfjs needs tfjs, which is not installed. Install it: npm install @tensorflow/tfjs",
    ]);
  });
});

describe("a project with @tensorflow/tfjs-core", () => {
  const consumer = projectWith("@tensorflow/tfjs-core@4.22.0");

  it("is told which backends there are to install", async () => {
    const answer = await answerOf(
      consumer,
      `import { pickBackend } from "@tinkex/tensor/tfjs";
const error = await pickBackend().catch((error) => error);
console.log(JSON.stringify([error.code, error.message]));`,
    );
    expect(answer).toEqual([
      "missing_dependency",
      "tfjs has no backend that works here (tfjs-node: it is not installed; wasm: it is not installed; cpu: it is not installed). Install one: npm install @tensorflow/tfjs-node, or npm install @tensorflow/tfjs-backend-wasm, or npm install @tensorflow/tfjs-backend-cpu",
    ]);
  });

  it("computes on cpu once it has that backend, and is told why", async () => {
    const { exitCode, output } = await consumer.add(["@tensorflow/tfjs-backend-cpu@4.22.0"]);
    expect(exitCode, output).toBe(0);
    const answer = await answerOf(
      consumer,
      `import { TensorData } from "@tinkex/tensor";
import { pickBackend, tf, toTensor } from "@tinkex/tensor/tfjs";
const { backend, reason } = await pickBackend();
const sum = tf.sum(toTensor(TensorData.from([1, 2, 3], { dtype: "int64" })));
console.log(JSON.stringify([backend, reason, TensorData.from(sum).data[0]]));`,
    );
    expect(answer).toEqual([
      "cpu",
      "cpu; not tfjs-node: it is not installed; not wasm: it is not installed",
      6,
    ]);
  });

  it("compiles strictly with the types of tfjs", async () => {
    consumer.write(
      "tensors.ts",
      `import type { Tensor } from "@tensorflow/tfjs-core";
import { TensorData } from "@tinkex/tensor";
import { type BackendChoice, pickBackend, tf, toTensor } from "@tinkex/tensor/tfjs";
export const choice: Promise<BackendChoice> = pickBackend({ backend: "cpu" });
export const tensor: Tensor = tf.square(toTensor(TensorData.from(Float32Array.of(1))));
export const back: TensorData = TensorData.from(tensor);
// @ts-expect-error there is no such backend
pickBackend({ backend: "quantum" });
`,
    );
    // The declarations of tfjs itself need those of Node and WebGPU, so libraries are left unchecked. Entries for tfjs are compiled here
    // alone, and so by both compilers.
    const options = { lib: ["ES2023", "DOM"], types: [], skipLibCheck: true };
    for (const compiler of [NATIVE_COMPILER, CLASSIC_COMPILER]) {
      const { exitCode, output } = await consumer.compile(options, compiler);
      expect(exitCode, output).toBe(0);
    }
  });
});
