import type { Clock, Logger } from "@tinkex/base";
import type { ProxySettings } from "@tinkex/http";
import type { ApiGeneration } from "@tinkex/types";
import type { ClientLifecycle } from "../future/client-lifecycle.js";
import type { ApiCalls } from "../session/api-calls.js";
import type { CheckpointLives } from "../session/checkpoint-lives.js";

/** The server as REST calls need to know it. */
export interface RestServer {
  readonly calls: ApiCalls;
  /** Generation of the server, which decides which parameters it is sent. */
  readonly generation: ApiGeneration;
}

/** Parts of a client that REST calls work with. They need no session. */
export interface RestContext {
  /** Lifecycle of the client whose methods make the calls. */
  readonly lifecycle: ClientLifecycle;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Project that copies go to where the call names none. */
  readonly projectId: string | undefined;
  /** Told of what is deleted, so that no error names it to go on from. */
  readonly checkpointLives: CheckpointLives;
  /** For downloads from other hosts. */
  readonly proxy: ProxySettings;
  /** Asks the server what it is, once. */
  server(): Promise<RestServer>;
  /** Gives the token that requests are signed with; `undefined` where that is a plain key. */
  identityToken(): Promise<string | undefined>;
}
