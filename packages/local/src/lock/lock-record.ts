import * as z from "zod";
import { processIdentitySchema } from "./process-table.js";

/** The holder of a data directory, as its file in `server-lock` tells. */
export const lockRecordSchema = z.object({
  id: z.uuid(),
  owner: processIdentitySchema,
  /** RFC 3339, UTC. */
  since: z.iso.datetime(),
  /** Absent until the server listens. */
  url: z
    .string()
    .max(1000)
    .regex(/^[^\p{C}]+$/u)
    .optional(),
});

export type LockRecord = Readonly<z.infer<typeof lockRecordSchema>>;

/** Names a holder in a message. */
export function describeHolder({ owner, since, url }: LockRecord): string {
  const where = url === undefined ? "a server that is starting" : `the server at ${url}`;
  return `${where} (process ${owner.pid} on host "${owner.host}", since ${since})`;
}
