import * as z from "zod";
import { listOf } from "../json/bounded-collections.js";
import { MAX_TTL_SECONDS } from "./model-bodies.js";
import { recordBody } from "./record-body.js";
import { requestBody, userMetadata } from "./request-body.js";

/** Body of `create_session`. Nothing that it says is needed here, so that nothing must be in it. */
export const createSessionBody = recordBody("CreateSessionRequest")(["project_id", "display_name"], {
  tags: listOf(z.string()).default([]),
  user_metadata: userMetadata.optional(),
  sdk_version: z.string().optional(),
});

/** Body of `session_heartbeat`. */
export const heartbeatBody = recordBody("SessionHeartbeatRequest")(["session_id"], {});

/** Body of `finish_session`. The reason is kept as it is, whatever it is. */
export const finishSessionBody = recordBody("FinishSessionRequest")([], {
  reason: requestBody({ type: z.string().default("success") }).optional(),
});

/** Body of `create_sampling_session`. A path that is none is refused with the status of one that is not there. */
export const createSamplingSessionBody = recordBody("CreateSamplingSessionRequest")(
  ["session_id", "sampling_session_seq_id", "base_model"],
  { model_path: z.string().optional() },
);

/** Body of `join_sampling_session`. */
export const joinSamplingSessionBody = recordBody("JoinSamplingSessionRequest")(["sampling_session_id"], {});

/** Body of `retrieve_future`. */
export const retrieveFutureBody = recordBody("FutureRetrieveRequest")(["request_id"], {});

/** Body of `retrieve_futures`. Reports of what was fetched are read no further: results are kept for a while in any case. */
export const retrieveFuturesBody = recordBody("FuturesRetrieveRequest")(["prev_cursor", "timeout"], {
  target: recordBody("FuturesTarget")(["sampling_session_id", "cloned_sampler_id"], {}),
});

/** Body of `set_session_project`. */
export const setSessionProjectBody = recordBody("SetSessionProjectRequest")(["project_id"], {});

/** Body of `cancel_future`. */
export const cancelFutureBody = recordBody("CancelFutureRequest")(["request_id"], {});

/** Body of `ttl` of a checkpoint; `null` keeps it for ever. */
export const setCheckpointTtlBody = z.object({
  ttl_seconds: z.number().int().positive().max(MAX_TTL_SECONDS).nullable(),
});

/** Body of `weights_info`. A path that is none is refused as in `create_sampling_session`. */
export const weightsInfoBody = recordBody("WeightsInfoRequest")([], { tinker_path: z.string() });

export type CreateSamplingSessionBody = z.infer<typeof createSamplingSessionBody>;
