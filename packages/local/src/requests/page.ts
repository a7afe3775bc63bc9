import * as z from "zod";

/**
 * Builds the schema of a list's query: a part of it by offset. No record names these fields.
 *
 * @param defaultLimit - items where the query names no number
 */
export function pageOf(defaultLimit: number) {
  return z.object({
    limit: z.coerce.number().int().min(0).max(1000).default(defaultLimit),
    offset: z.coerce.number().int().min(0).default(0),
  });
}

/** Query of a list of training runs. All that there are belong to the one user of this server, whatever the scope. */
export const runsQuery = pageOf(20).extend({ project_id: z.string().optional() });
