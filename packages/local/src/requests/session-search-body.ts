import * as z from "zod";
import { listOf } from "../json/bounded-collections.js";
import { recordBody } from "./record-body.js";
import { requestBody, userMetadata } from "./request-body.js";

const MAX_PER_PAGE = 200;
const DEFAULT_PER_PAGE = 50;

const strings = listOf(z.string(), 1_000);

const owner = requestBody({ type: z.enum(["own", "accessible", "user"]), owner_urns: strings.default([]) });

const status = requestBody({
  type: z.enum(["active", "cancelled", "failed", "client_finished"]),
  reasons: strings.optional(),
});

/** End of the page before. It comes back with its moment written as its client writes moments. */
const cursor = requestBody({
  last_created_at: z.iso.datetime({ offset: true }),
  last_session_id: z.string(),
});

/** Body of `search_sessions`. Whatever a field asks for is looked at; left out, it asks for nothing. */
export const sessionSearchBody = recordBody("SessionSearchRequest")(["session_id", "display_name"], {
  project_ids: strings.optional(),
  user_metadata: userMetadata.default({}),
  owner: owner.optional(),
  statuses: listOf(status, 100).optional(),
  limit: z.int().min(1).max(MAX_PER_PAGE).default(DEFAULT_PER_PAGE),
  cursor: cursor.optional(),
});

export type SessionSearchBody = z.infer<typeof sessionSearchBody>;
