import type { ProcessIdentity, ProcessTable } from "./process-table.js";

/**
 * Tells if the process that holds a lock still runs. `unknown` when it cannot be told from here: it belongs to another
 * machine, boot or container, or its id may have gone to another process since. Then its heartbeat must tell.
 */
export function judgeOwner(
  owner: ProcessIdentity,
  { self, lookUp }: ProcessTable,
): "running" | "gone" | "unknown" {
  const isNeighbour =
    owner.host === self.host && owner.bootId === self.bootId && owner.pidNamespace === self.pidNamespace;
  if (!isNeighbour) return "unknown";
  const found = lookUp(owner.pid);
  if (found === "gone") return "gone";
  if (found.startedAt === undefined || owner.startedAt === undefined) return "unknown";
  return found.startedAt === owner.startedAt ? "running" : "gone";
}
