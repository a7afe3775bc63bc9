import { restoreUtilFunctions } from "./restore-util-functions.js";

/** The backends that can be picked; those of browsers (webgl, webgpu) are the user's to set with `tf.setBackend`. */
export type BackendName = "tfjs-node" | "wasm" | "cpu";

/** One way for tfjs to compute. */
export interface Backend {
  readonly name: BackendName;
  /** Its name within tfjs, which `tf.getBackend()` gives. */
  readonly tfjsName: string;
  /** The package that registers it, as a side effect of its import. */
  readonly packageName: string;
  readonly load: () => Promise<unknown>;
  /** Prepares the backend before it computes, whoever loaded it. */
  readonly prepare?: () => void;
}

/** From fast to slow. */
export const BACKENDS: readonly Backend[] = [
  {
    name: "tfjs-node",
    tfjsName: "tensorflow",
    packageName: "@tensorflow/tfjs-node",
    load: () => import("@tensorflow/tfjs-node"),
    prepare: restoreUtilFunctions,
  },
  {
    name: "wasm",
    tfjsName: "wasm",
    packageName: "@tensorflow/tfjs-backend-wasm",
    load: () => import("@tensorflow/tfjs-backend-wasm"),
  },
  {
    name: "cpu",
    tfjsName: "cpu",
    packageName: "@tensorflow/tfjs-backend-cpu",
    load: () => import("@tensorflow/tfjs-backend-cpu"),
  },
];
