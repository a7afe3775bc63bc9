/** Settings of a run of training. */
export interface TrainingSettings {
  readonly steps: number;
  /** First weights of the adapter and the order of the words follow from it. */
  readonly seed: number;
  /** Held-out words that are asked, of those there are. */
  readonly heldOut: number;
}

/** Messages from the page to its worker. */
export type PageMessage =
  | { readonly kind: "open"; readonly runtime: "auto" | "webgpu" | "wasm" }
  | ({ readonly kind: "train" } & TrainingSettings)
  | { readonly kind: "ask"; readonly word: string };

/** Messages from the worker to its page. */
export type WorkerMessage =
  | { readonly kind: "opened"; readonly runtime: string; readonly threads: number; readonly reason: string }
  /** Share of held-out words that are right, in percent. */
  | { readonly kind: "scored"; readonly percent: number; readonly when: "before" | "after" }
  /** `loss` is the mean of a word's, the sum over its answer's tokens. */
  | { readonly kind: "stepped"; readonly step: number; readonly steps: number; readonly loss: number }
  | { readonly kind: "trained"; readonly seconds: number }
  | { readonly kind: "answered"; readonly word: string; readonly answer: string }
  | { readonly kind: "failed"; readonly message: string };
