import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-web";
import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { OrtModule } from "./ort-module.js";
import type { Outputs, Session } from "./runtime.js";
import type { Tensor } from "./tensor.js";

export const commonSessionOptions = {
  /** The graphs have nothing that the runtime's optimizers would change, and these take longer to see it than all the rest of compiling. */
  graphOptimizationLevel: "disabled",
  /** Errors only: the runtime's warnings speak of its own optimizations. */
  logSeverityLevel: 3,
  /**
   * Remembering where each tensor lay saves no time and keeps memory for every new combination of rows and tokens: after
   * 120 batches of different sizes, twice as much was held.
   */
  enableMemPattern: false,
} as const;

/** Compiles a graph with either package of ONNX Runtime. */
export async function compileOrtSession(
  ort: OrtModule,
  graph: OnnxGraph,
  options: InferenceSession.SessionOptions,
): Promise<Session> {
  const session = await ort.InferenceSession.create(graph.model, options);
  // Values that the session below captures live as long as it does, and the model's bytes are as large as the weights.
  const { inputs } = graph;
  return {
    async run(feeds) {
      const ortFeeds: Record<string, OrtTensor> = {};
      for (const { name, type } of inputs) {
        const given = feeds[name];
        if (given?.type !== type) {
          throw new Error(`the graph's input "${name}" must be ${type}, got ${given?.type ?? "nothing"}`);
        }
        ortFeeds[name] = new ort.Tensor(given.type, given.data, given.dims);
      }
      const unknown = Object.keys(feeds).find((name) => !(name in ortFeeds));
      if (unknown !== undefined) throw new Error(`the graph has no input "${unknown}"`);
      return outputsOf(await session.run(ortFeeds));
    },
    release: () => session.release(),
  };
}

function outputsOf(tensors: InferenceSession.OnnxValueMapType): Outputs {
  const tensor = (name: string): Tensor => {
    const found = tensors[name];
    if (found === undefined) throw new Error(`the graph has no output "${name}"`);
    const { type, dims, data } = found;
    // Both builds give the typed array that belongs to the type; their declaration does not tie the two together.
    return { type, dims, data } as Tensor;
  };
  return {
    tensor,
    float32(name) {
      const found = tensor(name);
      if (found.type !== "float32")
        throw new Error(`the graph's output "${name}" must be float32, got ${found.type}`);
      return found.data;
    },
  };
}
