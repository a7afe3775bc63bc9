import type { InferenceSession, Tensor } from "onnxruntime-web";

/** The part in use of either package of ONNX Runtime; both implement one interface. */
export interface OrtModule {
  readonly InferenceSession: {
    create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession>;
  };
  readonly Tensor: typeof Tensor;
}
