import type { Clock, Logger } from "@tinkex/base";
import type { Records } from "@tinkex/types";
import type { FutureResultName } from "@tinkex/wire";
import type { CheckpointStore } from "../disk/checkpoint-store.js";
import type { RunStore } from "../disk/run-store.js";
import type { AdapterCache } from "./adapter-cache.js";
import type { CompletionFeeds } from "./completion-feed.js";
import type { EngineCatalog } from "./engine-catalog.js";
import type { FutureStore } from "./future-store.js";
import type { LossRegistry } from "./loss-registry.js";
import type { ModelRegistry } from "./model-registry.js";
import type { OperationTracing } from "./operation-tracing.js";
import type { SamplerRegistry } from "./sampler-registry.js";
import type { SessionRegistry } from "./session-registry.js";
import type { SilenceWatch } from "./silence-watch.js";
import type { TelemetryLog } from "./telemetry-log.js";

/** Result of an operation: a record, and its name, which decides how it is encoded. */
export type OperationResult = {
  [Name in FutureResultName]: { readonly name: Name; readonly result: Records[Name] };
}[FutureResultName];

/** All that a server knows, and the clock, logger and random seed it runs with. */
export interface ServerState {
  readonly engines: EngineCatalog;
  readonly sessions: SessionRegistry;
  readonly models: ModelRegistry;
  readonly samplers: SamplerRegistry;
  readonly losses: LossRegistry;
  readonly adapterCache: AdapterCache;
  readonly futures: FutureStore<OperationResult>;
  /** Ends samples of clients that are gone. */
  readonly silence: SilenceWatch;
  /** Samples that finished, by sampler. */
  readonly completions: CompletionFeeds;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  readonly telemetry: TelemetryLog;
  /** Absent where nobody traces. */
  readonly tracing: OperationTracing | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A seed for what names none. */
  readonly randomSeed: () => number;
  readonly gapTimeoutMs: number;
}
