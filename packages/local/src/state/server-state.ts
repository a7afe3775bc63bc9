import type { Clock, Logger } from "@tinkex/base";
import type { CheckpointStore } from "./checkpoint-store.js";
import type { EngineCatalog } from "./engine-catalog.js";
import type { FutureStore } from "./future-store.js";
import type { ModelRegistry } from "./model-registry.js";
import type { OperationResult } from "./operation-result.js";
import type { RunStore } from "./run-store.js";
import type { SamplerRegistry } from "./sampler-registry.js";
import type { SamplerShelf } from "./sampler-shelf.js";
import type { SessionRegistry } from "./session-registry.js";

/** All that a server knows, and the world it runs in. */
export interface ServerState {
  readonly engines: EngineCatalog;
  readonly sessions: SessionRegistry;
  readonly models: ModelRegistry;
  readonly samplers: SamplerRegistry;
  readonly shelf: SamplerShelf;
  readonly futures: FutureStore<OperationResult>;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A seed for what names none. */
  readonly randomSeed: () => number;
  readonly gapTimeoutMs: number;
}
