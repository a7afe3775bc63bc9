import type { StoredAdapter } from "../adapter/adapter-directory.js";
import type { AdapterTensors } from "../adapter/adapter-tensors.js";
import type { Engine } from "../engine/engine.js";

/** Copy of an adapter's state in memory, from which an engine that starts anew goes on. */
export interface AdapterSnapshot extends StoredAdapter {
  /** Accumulated gradient; absent where it is zero. */
  readonly gradients?: AdapterTensors | undefined;
}

/** Engine whose adapters can be copied out and put back, without files. */
export interface RecoverableEngine extends Engine {
  /** Differs between engines of other base weights, or of another configuration of the model. */
  readonly fingerprint: string;
  /** Copies weights and optimizer, which a step changes, of an adapter. The gradient is left out. */
  readWeights(adapterId: string): Promise<AdapterSnapshot>;
  /** Copies the accumulated gradient, to which passes add. */
  readGradients(adapterId: string): Promise<AdapterTensors>;
  /** Makes an adapter of a snapshot. */
  restoreAdapter(adapterId: string, snapshot: AdapterSnapshot): Promise<void>;
}
