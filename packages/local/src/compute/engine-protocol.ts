import type { RecoverableEngine } from "./recoverable-engine.js";
import type { TransferredError } from "./transferred-error.js";

/** Calls that a message can make to an engine. `sample` comes without its signal, for which there is `abort`. */
export interface RemoteMethods
  extends Omit<RecoverableEngine, "model" | "runtime" | "fingerprint" | "fault" | "close" | "sample"> {
  /** Answered once the engine is there; rejects with what making it threw. */
  describe(): Promise<Pick<RecoverableEngine, "model" | "runtime" | "fingerprint">>;
  sample(request: Parameters<RecoverableEngine["sample"]>[0]): ReturnType<RecoverableEngine["sample"]>;
}

/** A call of one of these methods, whichever it is. */
export type RemoteCall = {
  [M in keyof RemoteMethods]: { readonly method: M; readonly args: Parameters<RemoteMethods[M]> };
}[keyof RemoteMethods];

/** From the caller's thread to the engine's. */
export type EngineRequest =
  | { readonly kind: "call"; readonly id: number; readonly call: RemoteCall }
  /** The caller no longer wants the answer of this call. */
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "close" };

/** From the engine's thread to the caller's. */
export type EngineReply =
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: TransferredError };
