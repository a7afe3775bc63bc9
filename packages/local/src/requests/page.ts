import * as z from "zod";

/**
 * Builds the schema of a list's query: a part of it by offset. No record names these fields.
 *
 * @param defaultLimit - items where the query names no number
 */
export function pageOf(defaultLimit: number) {
  return z.object({
    limit: count(1000).default(defaultLimit),
    offset: count(Number.MAX_SAFE_INTEGER).default(0),
  });
}

/** A number of a query, which is text, from 0. The error shows no value, as text that is no number has become NaN. */
function count(max: number) {
  const error = `must be a whole number from 0 to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(0, { error }).max(max, { error });
}

/** Query of a list of training runs. All that there are belong to the one user of this server, whatever the scope. */
export const runsQuery = pageOf(20).extend({ project_id: z.string().optional() });
