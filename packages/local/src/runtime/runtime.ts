import type { OnnxGraph } from "../onnx/onnx-graph.js";
import type { Tensor } from "./tensor.js";

/** Library that runs the graphs. */
export interface Runtime<Name extends string = string> {
  readonly name: Name;
  /** Threads that one run uses. */
  readonly threads: number;
  /** Why this runtime was chosen, in words for a log line. */
  readonly reason: string;
  /** Compiles a graph. The bytes of the model may be dropped afterwards. */
  compile(graph: OnnxGraph): Promise<Session>;
}

/** Runtimes of Node; browsers have others. */
export type RuntimeName = "native" | "wasm";

/** A compiled graph. */
export interface Session {
  /**
   * Runs the graph. The arithmetic blocks the calling thread, on both runtimes; yield to the event loop between runs.
   *
   * @param feeds - a tensor for every input of the graph, and no other
   * @throws Error naming the input that is missing, superfluous or of the wrong type
   */
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Outputs>;
  /** Frees the weights; the session cannot run afterwards. */
  release(): Promise<void>;
}

/** Outputs of a run, by the names the graph was built with. */
export interface Outputs {
  /** @throws Error when the graph has no such float32 output */
  float32(name: string): Float32Array;
  /** @throws Error when the graph has no such output */
  tensor(name: string): Tensor;
}
